// A QR code (ISO/IEC 18004) of a link, made in the browser, because the key of an encrypted paste is not sent. Scanners
// read any mask, so each code has the first one, and the bits that name it are always the same.

// Versions 1 to 10 of level M: their code words, the blocks of these, and how many of a block correct it.
const VERSIONS = [[26, 1, 10], [44, 1, 16], [70, 1, 26], [100, 2, 18], [134, 2, 24], [172, 4, 16], [196, 4, 18], [242, 4, 22], [292, 5, 22], [346, 5, 26]];
const FORMAT = 0x5412;
// A code names its version from the seventh on.
const NAMES = [0x7c94, 0x85bc, 0x9a99, 0xa4d3];
const QUIET_ZONE = 4;

const upTo = (count) => [...Array(count).keys()];
const hex = (number, digits) => number.toString(16).padStart(digits, "0");

// Multiplies in the field of 256 elements.
const times = (a, b) => upTo(8).reduce((sum, at) => sum << 1 ^ (sum >> 7) * 0x11d ^ (b >> 7 - at & 1) * a, 0);

const correction = (words, count) => {
  const divisor = [...Array(count - 1).fill(0), 1];
  for (let at = 0, root = 1; at < count; at += 1, root = times(root, 2)) {
    for (const place of upTo(count)) divisor[place] = times(divisor[place], root) ^ (divisor[place + 1] ?? 0);
  }
  let rest = Array(count).fill(0);
  for (const word of words) {
    const factor = word ^ rest[0];
    rest = divisor.map((by, at) => (rest[at + 1] ?? 0) ^ times(by, factor));
  }
  return rest;
};

// The code words of these bytes: the first ones of all blocks, then the second ones.
const wordsOf = (bytes, version) => {
  const [total, count, correcting] = VERSIONS[version - 1];
  const room = total - count * correcting;
  const digits = `4${hex(bytes.length, version < 10 ? 2 : 4)}${[...bytes].map((byte) => hex(byte, 2)).join("")}0`;
  const words = digits.match(/../g).map((pair) => Number.parseInt(pair, 16));
  for (let at = 0; words.length < room; at += 1) words.push(at % 2 ? 0x11 : 0xec);
  const blocks = upTo(count).map((at) => words.splice(0, Math.floor((room + at) / count)));
  return [blocks, blocks.map((block) => correction(block, correcting))]
    .flatMap((parts) => parts.at(-1).flatMap((_, at) => parts.flatMap((part) => part[at] ?? [])));
};

// The rows of a code with these words: `true` for a dark module.
const rowsOf = (version, words) => {
  const size = version * 4 + 17;
  const rows = upTo(size).map(() => Array(size).fill(null));
  const set = (x, y, isDark) => { if (rows[y]?.[x] !== undefined) rows[y][x] = Boolean(isDark); };
  const ring = (x, y, radius, isDark) => {
    for (const at of upTo(radius * 2 + 1)) {
      for (const edge of [-radius, radius]) {
        set(x + edge, y - radius + at, isDark);
        set(x - radius + at, y + edge, isDark);
      }
    }
  };
  for (const at of upTo(size)) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]]) {
    [true, true, false, true, false].forEach((isDark, radius) => ring(x, y, radius, isDark));
  }
  const places = version === 1 ? [] : version < 7 ? [6, size - 7] : [6, (size - 1) / 2, size - 7];
  for (const x of places) {
    for (const y of places) {
      const isCorner = (x === 6 || y === 6) && (x + y === 12 || x + y === size - 1);
      if (!isCorner) [true, false, true].forEach((isDark, radius) => ring(x, y, radius, isDark));
    }
  }
  for (const at of upTo(15)) {
    const bit = FORMAT >> at & 1;
    set(8, at < 6 ? at : at < 8 ? at + 1 : size - 15 + at, bit);
    set(at < 8 ? size - 1 - at : at === 8 ? 7 : 14 - at, 8, bit);
  }
  set(8, size - 8, true);
  for (const at of version < 7 ? [] : upTo(18)) {
    const [near, far, bit] = [Math.floor(at / 3), size - 11 + at % 3, NAMES[version - 7] >> at & 1];
    set(near, far, bit);
    set(far, near, bit);
  }
  // Two columns at a time, up and down by turns, and beside the column of the pattern.
  let at = 0;
  for (const pair of upTo((size - 1) / 2)) {
    const right = size - 1 - pair * 2;
    for (const step of upTo(size)) {
      const y = pair % 2 ? step : size - 1 - step;
      for (const side of [0, 1]) {
        const x = right - side - (right <= 6 ? 1 : 0);
        if (rows[y][x] !== null) continue;
        set(x, y, (words[at >> 3] >> 7 - at % 8 & 1) ^ (x + y + 1) % 2);
        at += 1;
      }
    }
  }
  return rows;
};

// Returns the picture of a code as SVG, or nothing if the text is too long for one.
export const picture = (text) => {
  const bytes = new TextEncoder().encode(text);
  const fits = ([total, count, correcting], at) => bytes.length + (at < 9 ? 2 : 3) <= total - count * correcting;
  const version = VERSIONS.findIndex(fits) + 1;
  if (!version) return "";
  const rows = rowsOf(version, wordsOf(bytes, version));
  const size = rows.length + 2 * QUIET_ZONE;
  const dark = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x + QUIET_ZONE} ${y + QUIET_ZONE}h1v1h-1z` : [])));
  return `<svg viewBox="0 0 ${size} ${size}" width="256" height="256" role="img" aria-label="QR code of the link" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${dark.join("")}"/></svg>`;
};

// Draws the code of the link in this box above it.
export const draw = (box) => {
  const link = box.lastElementChild;
  if (box.firstElementChild === link) link.insertAdjacentHTML("beforebegin", picture(link.textContent) || "<p>The link is too long for a QR code.</p>");
};
