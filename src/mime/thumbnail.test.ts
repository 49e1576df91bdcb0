import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import jpeg from 'jpeg-js'
import { pngPixels } from './png-pixels.ts'
import { thumbnail } from './thumbnail.ts'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(content))
  return Buffer.concat([length, content, sum])
}

interface PngParts {
  readonly width: number
  readonly height: number
  readonly depth: number
  readonly color: number
  readonly interlace?: number
  /** Rows with the type of their filter. */
  readonly rows: Buffer
  readonly before?: readonly Buffer[]
}

function png({ width, height, depth, color, interlace = 0, rows, before = [] }: PngParts): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([depth, color, 0, 0, interlace], 8)
  const data = deflateSync(rows)
  const half = data.length >> 1
  return Buffer.concat([
    ...[SIGNATURE, chunk('IHDR', header), ...before],
    ...[chunk('IDAT', data.subarray(0, half)), chunk('IDAT', data.subarray(half))],
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Returns rows of one repeated line without a filter. */
const rowsOf = (height: number, line: readonly number[]): Buffer =>
  Buffer.concat(Array.from({ length: height }, () => Buffer.from([0, ...line])))

const pixelsOf = (file: Buffer): number[][] => {
  const { data = [] } = pngPixels(file) ?? {}
  return Array.from({ length: data.length / 4 }, (_, index) => [...data.slice(index * 4, index * 4 + 4)])
}

/** Returns the color of a pixel of a thumbnail. */
function colorAt(file: Uint8Array, x: number, y: number): readonly number[] {
  const { width, height, data } = jpeg.decode(thumbnail(file), { useTArray: true })
  assert.deepEqual([width, height], [180, 120])
  return [...data.slice((y * 180 + x) * 4, (y * 180 + x) * 4 + 3)]
}

function assertNear(color: readonly number[], wanted: readonly number[]): void {
  for (const [index, value] of wanted.entries()) {
    assert.ok(Math.abs((color[index] ?? -99) - value) < 12, `${color} is not near ${wanted}`)
  }
}

const RED = [255, 0, 0, 255]
const GREEN = [0, 255, 0, 255]
const WHITE = [255, 255, 255]

describe('the pixels of a PNG', () => {
  it('are read from every color type and depth', () => {
    const palette = [chunk('PLTE', Buffer.from([255, 0, 0, 0, 255, 0])), chunk('tRNS', Buffer.from([255, 0]))]
    for (const [name, parts, wanted] of [
      ['1-bit gray', { depth: 1, color: 0, rows: rowsOf(1, [0b01000000]) }, [0, 255]],
      ['2-bit gray', { depth: 2, color: 0, rows: rowsOf(1, [0b00110000]) }, [0, 255]],
      ['4-bit gray', { depth: 4, color: 0, rows: rowsOf(1, [0x0f]) }, [0, 255]],
      ['8-bit gray', { depth: 8, color: 0, rows: rowsOf(1, [0, 255]) }, [0, 255]],
      ['16-bit gray', { depth: 16, color: 0, rows: rowsOf(1, [0, 9, 255, 9]) }, [0, 255]],
    ] as const) {
      const gray = pixelsOf(png({ width: 2, height: 1, ...parts }))
      assert.deepEqual(
        gray,
        wanted.map((one) => [one, one, one, 255]),
        name,
      )
    }
    const two = { width: 2, height: 1 }
    assert.deepEqual(pixelsOf(png({ ...two, depth: 8, color: 2, rows: rowsOf(1, [255, 0, 0, 0, 255, 0]) })), [
      RED,
      GREEN,
    ])
    assert.deepEqual(
      pixelsOf(png({ ...two, depth: 1, color: 3, rows: rowsOf(1, [0b01000000]), before: palette })),
      [RED, [0, 255, 0, 0]],
    )
    assert.deepEqual(pixelsOf(png({ ...two, depth: 8, color: 4, rows: rowsOf(1, [7, 255, 8, 0]) })), [
      [7, 7, 7, 255],
      [8, 8, 8, 0],
    ])
    assert.deepEqual(pixelsOf(png({ ...two, depth: 8, color: 6, rows: rowsOf(1, [...RED, ...GREEN]) })), [
      RED,
      GREEN,
    ])
  })

  it('are restored from each filter', () => {
    const rows = Buffer.from([
      ...[0, 10, 20, 30],
      ...[1, 10, 10, 10],
      ...[2, 5, 5, 5],
      ...[3, 10, 10, 10],
      ...[4, 1, 1, 1],
    ])
    const gray = pixelsOf(png({ width: 3, height: 5, depth: 8, color: 0, rows })).map(([value]) => value)
    assert.deepEqual(gray, [10, 20, 30, 10, 20, 30, 15, 25, 35, 17, 31, 43, 18, 32, 44])
  })

  it('are at their places in an interlaced image', () => {
    // The rows of the passes of an image of 3 × 3 pixels, each pixel with the number of its pass.
    const rows = Buffer.from([...[0, 1], ...[0, 4], ...[0, 5, 5], ...[0, 6, 0, 6], ...[0, 7, 7, 7]])
    const gray = pixelsOf(png({ width: 3, height: 3, depth: 8, color: 0, interlace: 1, rows }))
    assert.deepEqual(
      gray.map(([value]) => value),
      [1, 6, 4, 7, 7, 7, 5, 6, 5],
    )
  })

  it('are not read from an image with too many, or one that unpacks to more', () => {
    const bomb = png({ width: 1, height: 1, depth: 8, color: 0, rows: Buffer.alloc(50_000_000) })
    assert.equal(pngPixels(bomb), undefined)
    const huge = { width: 100_000, height: 100_000, depth: 8, color: 0, rows: Buffer.alloc(10) }
    assert.equal(pngPixels(png(huge)), undefined)
    assert.equal(pngPixels(png({ ...huge, width: 0 })), undefined)
    assert.equal(pngPixels(Buffer.concat([SIGNATURE, Buffer.alloc(200, 0xff)])), undefined)
  })
})

describe('a thumbnail', () => {
  const image = (width: number, height: number, pixel: readonly number[]): Buffer =>
    png({
      ...{ width, height, depth: 8, color: 6 },
      rows: rowsOf(height, Array.from({ length: width }, () => pixel).flat()),
    })

  it('has a small image in its center, and a large one all over', () => {
    assertNear(colorAt(image(10, 10, RED), 90, 60), RED.slice(0, 3))
    assertNear(colorAt(image(10, 10, RED), 50, 60), WHITE)
    for (const [x, y] of [
      [1, 1],
      [178, 118],
      [90, 60],
    ] as const) {
      assertNear(colorAt(image(1_000, 300, GREEN), x, y), GREEN.slice(0, 3))
    }
    assertNear(colorAt(image(400, 100, RED), 90, 60), RED.slice(0, 3))
    assertNear(colorAt(image(400, 100, RED), 90, 10), WHITE)
    assertNear(colorAt(image(300, 300, [0, 0, 0, 0]), 90, 60), WHITE)
  })

  it('is made of a JPEG image', () => {
    const data = Buffer.alloc(400 * 300 * 4)
    for (let at = 0; at < data.length; at += 4) data.set(GREEN, at)
    assertNear(colorAt(jpeg.encode({ data, width: 400, height: 300 }, 90).data, 5, 5), GREEN.slice(0, 3))
  })

  it('is blank for anything else', () => {
    const cut = image(300, 300, RED).subarray(0, 40)
    const broken = Buffer.from([0xff, 0xd8, 0xff, ...Buffer.alloc(2_000, 0xc0)])
    const large = Buffer.alloc(11 * 1024 * 1024)
    for (const file of [Buffer.from('text'), Buffer.alloc(0), cut, broken, large]) {
      assertNear(colorAt(file, 90, 60), WHITE)
    }
  })

  it('takes bounded time for images that claim to be large', () => {
    // A JPEG header of 65,500 × 65,500 pixels without data.
    const header = [0xff, 0xd8, 0xff, 0xc0, 0, 17, 8, 0xff, 0xdc, 0xff, 0xdc, 3]
    const claims = Buffer.from([...header, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1, 0xff, 0xd9])
    assertNear(colorAt(claims, 90, 60), WHITE)
    assertNear(colorAt(image(1, 5_000, RED), 10, 60), WHITE)
  })
})
