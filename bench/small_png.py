"""Pictures of pages as small PNG files: a page has few colours, so a palette of 256 does.

The browser that took the picture also decodes it and counts its colours; nothing else needs to be installed.
"""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

from playwright.sync_api import Page

COLOURS = """async (picture) => {
  const bitmap = await createImageBitmap(await (await fetch("data:image/png;base64," + picture)).blob());
  const {width, height} = bitmap, canvas = new OffscreenCanvas(width, height), drawing = canvas.getContext("2d");
  drawing.drawImage(bitmap, 0, 0);
  const pixels = new Uint32Array(drawing.getImageData(0, 0, width, height).data.buffer), times = new Map();
  for (const pixel of pixels) times.set(pixel, (times.get(pixel) || 0) + 1);
  const colours = [...times.keys()].sort((a, b) => times.get(b) - times.get(a) || a - b);
  const parts = colours.map((pixel) => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255]);
  const palette = [], place = new Array(colours.length).fill(0), far = new Array(colours.length).fill(Infinity);
  const choose = (chosen) => {
    palette.push(...parts[chosen]);
    parts.forEach((one, at) => {
      const apart = one.reduce((sum, part, i) => sum + (part - parts[chosen][i]) ** 2, 0);
      if (apart < far[at]) { far[at] = apart; place[at] = palette.length / 3 - 1; }
    });
  };
  colours.slice(0, 96).forEach((_, at) => choose(at));
  while (palette.length < 3 * Math.min(256, colours.length)) {
    choose(far.reduce((best, apart, at) => (apart > far[best] ? at : best), 0));
  }
  const index = new Map(colours.map((pixel, at) => [pixel, place[at]]));
  let rows = "";
  for (const pixel of pixels) rows += String.fromCharCode(index.get(pixel));
  return {width, height, palette, rows: btoa(rows)};
}"""
"""A PNG as base64 -> its size, 256 of its colours, and for each pixel the nearest of them. The commonest are taken,
then those that are furthest from any that was: a small picture on the page keeps its own."""


def small_png(page: Page, picture: bytes) -> bytes:
    """The picture with 256 colours. `page`: any page that may ask for data, such as an empty one."""
    found: dict[str, Any] = page.evaluate(COLOURS, base64.b64encode(picture).decode())
    width, height = found["width"], found["height"]
    pixels = base64.b64decode(found["rows"])
    rows = b"".join(b"\0" + pixels[start : start + width] for start in range(0, width * height, width))
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"PLTE", bytes(found["palette"])), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
