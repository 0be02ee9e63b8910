"""invented_address: an address that a model seems to have invented.

What it looks for: links, images and bare addresses at placeholder hosts (example.com, yourwebsite.com, and the same in
other languages), names with runs of X, DOIs such as 10.xxxx or 10.1234, paths such as path/to/file, and links to `#`
alone. Addresses in code are ignored, and so is a host that the text only names as an example.
Why it matters: models invent sources, and a learner who follows one finds nothing.
Fix: needs an author: only a person can look up the true address.
"""

import re
from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.lessons.findings import text_findings
from burnish.kinds.lessons.model import LessonUnit
from burnish.languages.words import Slip
from burnish.text.markdown import ADDRESS, Markdown

HOSTS = re.compile(
    r"^(?:https?:)?//(?:www\.|blog\.|docs?\.|(?:[\w-]{1,60}\.){1,3}(?=example\.))?(?:examples?|ejemplo|exemple|exemplo|beispiel|esempio|primer|voorbeeld|sample"
    r"|(?:your|my|the|some)-?(?:site|website|domain|company|school|blog|url|link|organi[sz]ation)|\w{0,20}website|domain|site-?name"
    r"|url|link(?:-(?:to|here)[\w-]*)?|placeholder|via\.placeholder|dummy(?:site|image)?|fake[\w-]*|tu-?(?:sitio|dominio)"
    r"|votre-?(?:site|domaine)|deine-?(?:seite|domain)|seu-?site)(?:\.[a-z]{2,12}){1,2}(?=[/:?#]|$)",
    re.IGNORECASE,
)
FILLED_LATER = re.compile(
    r"[xX]{4,}|\b10\.(?:x{2,}|n{3,}|0000|1234|12345|5555|9999)/|\b10\.\d{4,9}/(?:xyz|abc|example)\w{0,12}$"
    r"|//(?:www\.)?(?:github|gitlab|bitbucket)\.(?:com|org)/(?:your-?)?user-?name/|^(?:\.{0,2}/)?path/to/|(?:insert|your)[-_]?(?:link|url)"
    r"|(?:link|url)[-_]here|[{<\[](?:url|link|slug|id)[}>\]]|^#$",
    re.IGNORECASE,
)
NAMED = re.compile(
    r"(?:e\.g\.|for example|such as|i\.e\.|like|like this|instance|por ejemplo|par exemple|zum beispiel|z\. ?b\."
    r"|por exemplo|ad esempio|например|called|domain|URL|address|dirección|adresse|endereço|indirizzo|адрес)"
    r"\W{0,3}(?:\w+\W+){0,2}$",
    re.IGNORECASE,
)
"""Words before an address that is only named as an example."""
NEAR = 60
SUGGESTION = "Find the true address, or remove the link."


def invented(view: Markdown) -> Iterator[Slip]:
    """All addresses that seem to be invented."""
    linked: set[int] = set()
    for link in view.links:
        if link.form != "inline":
            continue
        linked.add(link.target_start)
        target = view.text[link.target_start : link.target_end].strip("<>")
        if HOSTS.search(target) or FILLED_LATER.search(target):
            yield _slip(link.start, link.end, target)
    for block in view.prose_blocks:
        for address in ADDRESS.finditer(view.text, block.start, block.end):
            start, end = address.span()
            shown = any(a <= start < b for a, b in (*view.structure.code, *view.structure.formulas))
            if start in linked or shown or NAMED.search(view.text[max(block.start, start - NEAR) : start]):
                continue
            if HOSTS.search(address.group()) or FILLED_LATER.search(address.group()):
                yield _slip(start, end, address.group())


def _slip(start: int, end: int, target: str) -> Slip:
    return Slip(start, end, f"The address {target[:60]!r} seems to be invented.", SUGGESTION)


@check(
    id="invented_address",
    severity="warning",
    bad=(
        {"text": "Read more in [this guide](https://www.yourwebsite.com/guide)."},
        {"text": "See [the study](https://doi.org/10.xxxx/xxxxx) for details."},
        {"text": "The data are [here](http://example.com/data.csv)."},
        {"text": "Read [the article](#) first."},
    ),
    good=(
        {"text": "Read more in [this guide](https://www.gutenberg.org/ebooks/11)."},
        {"text": "An address such as http://www.example.com has three parts, and `https://example.com/x` is code."},
        {"text": "See [the study](https://doi.org/10.1145/2133806.2133826) for details."},
    ),
)
def invented_address(unit: LessonUnit) -> Iterator[Finding]:
    yield from text_findings(unit, invented)
