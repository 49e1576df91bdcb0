// Reads the pixels of a PNG image (ISO/IEC 15948) in bounded time and memory.

import { constants, inflateSync } from 'node:zlib'

/** Pixels of an image, row by row, with four bytes each: red, green, blue and opacity. */
export interface Pixels {
  readonly width: number
  readonly height: number
  readonly data: Uint8Array
}

/** Maximum number of pixels of an image that is read. */
export const MAX_PIXELS = 10_000_000

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Samples of a pixel by color type (table 9); 3 is an index of the palette. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

/** First column and row, and steps between columns and rows, of each pass of an interlaced image (§8.2). */
const PASSES: readonly Pass[] = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
]
const ONE_PASS: readonly Pass[] = [[0, 0, 1, 1]]

interface Header {
  readonly width: number
  readonly height: number
  /** Bits of a sample. */
  readonly depth: number
  readonly color: number
  readonly samples: number
  readonly isInterlaced: boolean
}

interface Chunks {
  readonly header: Header
  readonly palette: Buffer
  /** Opacity of the colors of the palette. */
  readonly opacity: Buffer
  readonly compressed: Buffer
}

/** True if a file begins as a PNG image. */
export const isPng = (file: Buffer): boolean => file.subarray(0, SIGNATURE.length).equals(SIGNATURE)

/** Returns the pixels of a PNG image; undefined for a broken image, or one with too many pixels. */
export function pngPixels(file: Buffer): Pixels | undefined {
  const chunks = chunksOf(file)
  if (chunks === undefined) return undefined
  const { header } = chunks
  const passes = header.isInterlaced ? PASSES : ONE_PASS
  const size = passes.reduce((sum, pass) => sum + sizeOfPass(header, pass), 0)
  let bytes: Buffer
  try {
    // The flush accepts an image whose end is missing; the limit stops an image that unpacks to more than its pixels.
    bytes = inflateSync(chunks.compressed, {
      maxOutputLength: size,
      finishFlush: constants.Z_SYNC_FLUSH,
    })
  } catch {
    return undefined
  }
  const data = new Uint8Array(header.width * header.height * 4)
  let at = 0
  for (const pass of passes) {
    readPass(chunks, pass, bytes.subarray(at, at + sizeOfPass(header, pass)), data)
    at += sizeOfPass(header, pass)
  }
  return { width: header.width, height: header.height, data }
}

function chunksOf(file: Buffer): Chunks | undefined {
  let header: Header | undefined
  let palette: Buffer = Buffer.alloc(0)
  let opacity: Buffer = Buffer.alloc(0)
  const compressed: Buffer[] = []
  for (let at = SIGNATURE.length; at + 8 <= file.length; ) {
    const length = file.readUInt32BE(at)
    const type = file.toString('latin1', at + 4, at + 8)
    const data = file.subarray(at + 8, at + 8 + length)
    if (type === 'IHDR') header = headerOf(data)
    else if (type === 'PLTE') palette = data
    else if (type === 'tRNS') opacity = data
    else if (type === 'IDAT') compressed.push(data)
    else if (type === 'IEND') break
    at += 12 + length
  }
  if (header === undefined) return undefined
  return { header, palette, opacity, compressed: Buffer.concat(compressed) }
}

function headerOf(data: Buffer): Header | undefined {
  if (data.length < 13) return undefined
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)]
  const [depth = 0, color = 0, compression = 0, filter = 0, interlace] = data.subarray(8, 13)
  const samples = SAMPLES[color]
  const isKnown = samples !== undefined && [1, 2, 4, 8, 16].includes(depth) && compression + filter === 0
  if (!isKnown || width < 1 || height < 1 || width * height > MAX_PIXELS) return undefined
  return { width, height, depth, color, samples, isInterlaced: interlace === 1 }
}

type Pass = readonly [x: number, y: number, stepX: number, stepY: number]

const columnsOf = ({ width }: Header, [x, , stepX]: Pass): number =>
  Math.max(0, Math.ceil((width - x) / stepX))
const rowsOf = ({ height }: Header, [, y, , stepY]: Pass): number =>
  Math.max(0, Math.ceil((height - y) / stepY))
const rowLength = (header: Header, pass: Pass): number =>
  Math.ceil((columnsOf(header, pass) * header.samples * header.depth) / 8)

/** Returns the unpacked size of a pass: each row begins with the type of its filter. */
const sizeOfPass = (header: Header, pass: Pass): number =>
  columnsOf(header, pass) === 0 ? 0 : rowsOf(header, pass) * (1 + rowLength(header, pass))

function readPass(chunks: Chunks, pass: Pass, bytes: Buffer, data: Uint8Array): void {
  const { header } = chunks
  const [firstX, firstY, stepX, stepY] = pass
  const [columns, length] = [columnsOf(header, pass), rowLength(header, pass)]
  /** Distance in bytes to the same sample of the previous pixel. */
  const back = Math.max(1, (header.samples * header.depth) >> 3)
  let above: Uint8Array = new Uint8Array(length)
  for (let row = 0; (row + 1) * (1 + length) <= bytes.length; row++) {
    const start = row * (1 + length)
    const line = bytes.subarray(start + 1, start + 1 + length)
    unfilter(bytes[start] ?? 0, line, above, back)
    const target = (firstY + row * stepY) * header.width
    for (let column = 0; column < columns; column++) {
      putPixel(chunks, line, column, data, (target + firstX + column * stepX) * 4)
    }
    above = line
  }
}

/** Restores the bytes of a row from the differences to its neighbors (§9.2). */
function unfilter(type: number, line: Uint8Array, above: Uint8Array, back: number): void {
  for (let i = 0; i < line.length; i++) {
    const left = i < back ? 0 : (line[i - back] as number)
    const up = above[i] as number
    const corner = i < back ? 0 : (above[i - back] as number)
    let predicted = 0
    if (type === 1) predicted = left
    else if (type === 2) predicted = up
    else if (type === 3) predicted = (left + up) >> 1
    else if (type === 4) predicted = paeth(left, up, corner)
    line[i] = (line[i] as number) + predicted
  }
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner
  const toLeft = Math.abs(estimate - left)
  const toUp = Math.abs(estimate - up)
  const toCorner = Math.abs(estimate - corner)
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}

/** Writes one pixel; samples of other sizes are converted to eight bits. */
function putPixel(
  { header, palette, opacity }: Chunks,
  line: Uint8Array,
  column: number,
  data: Uint8Array,
  at: number,
): void {
  const { depth, color, samples } = header
  const first = column * samples
  if (color === 3) {
    const index = rawSample(line, first, depth)
    for (let i = 0; i < 3; i++) data[at + i] = palette[index * 3 + i] ?? 0
    data[at + 3] = opacity[index] ?? 255
    return
  }
  const isGray = samples < 3
  for (let i = 0; i < 3; i++) data[at + i] = sample(line, isGray ? first : first + i, depth)
  data[at + 3] = color >= 4 ? sample(line, first + samples - 1, depth) : 255
}

/** Returns a sample without conversion; of 16 bits only the upper eight. */
function rawSample(line: Uint8Array, index: number, depth: number): number {
  if (depth >= 8) return line[(index * depth) >> 3] ?? 0
  const bit = index * depth
  return ((line[bit >> 3] ?? 0) >> (8 - depth - (bit & 7))) & (2 ** depth - 1)
}

const sample = (line: Uint8Array, index: number, depth: number): number =>
  depth >= 8 ? rawSample(line, index, depth) : (rawSample(line, index, depth) * 255) / (2 ** depth - 1)
