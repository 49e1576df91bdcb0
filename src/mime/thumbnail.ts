// Makes a thumbnail of an image in a mail; runs in a worker thread, because the image comes from a stranger.

import jpeg from 'jpeg-js'
import { isPng, MAX_PIXELS, type Pixels, pngPixels } from './png-pixels.ts'

const WIDTH = 180
const HEIGHT = 120
const QUALITY = 70
/** Maximum size of an image that is read, in bytes. */
const MAX_BYTES = 10 * 1024 * 1024
/** Memory for reading a JPEG image, in MiB. */
const MAX_MEMORY_MB = 192
const WHITE = 255

/**
 * Returns a JPEG of 180 × 120 pixels with an image in its center on white: a large image fills the thumbnail, a small one
 * keeps its size, as in Mailpit. The thumbnail is blank for a file that is no PNG or JPEG image, and for an image with
 * more than 10 million pixels.
 */
export function thumbnail(file: Uint8Array): Uint8Array {
  const data = Buffer.alloc(WIDTH * HEIGHT * 4, WHITE)
  const pixels = pixelsOf(Buffer.from(file.buffer, file.byteOffset, file.length))
  if (pixels !== undefined) draw(pixels, data)
  return new Uint8Array(jpeg.encode({ data, width: WIDTH, height: HEIGHT }, QUALITY).data)
}

function pixelsOf(file: Buffer): Pixels | undefined {
  if (file.length > MAX_BYTES) return undefined
  if (isPng(file)) return pngPixels(file)
  // A JPEG image begins with the marker SOI, and another marker (ITU T.81 §B.1.1).
  if (file[0] !== 0xff || file[1] !== 0xd8 || file[2] !== 0xff) return undefined
  try {
    return jpeg.decode(file, {
      useTArray: true,
      maxResolutionInMP: MAX_PIXELS / 1e6,
      maxMemoryUsageInMB: MAX_MEMORY_MB,
    })
  } catch {
    return undefined
  }
}

/** Draws an image, of which each pixel of the thumbnail gets the mean of an area. */
function draw({ width, height, data }: Pixels, target: Uint8Array): void {
  const isSmall = width < WIDTH || height < HEIGHT
  const fit = [WIDTH / width, HEIGHT / height] as const
  const scale = isSmall ? Math.min(1, ...fit) : Math.max(...fit)
  const area = 1 / scale
  const shownWidth = Math.max(1, Math.round(width * scale))
  const shownHeight = Math.max(1, Math.round(height * scale))
  const [left, top] = [(WIDTH - shownWidth) >> 1, (HEIGHT - shownHeight) >> 1]
  for (let y = Math.max(0, top); y < Math.min(HEIGHT, top + shownHeight); y++) {
    for (let x = Math.max(0, left); x < Math.min(WIDTH, left + shownWidth); x++) {
      const from = { x: Math.floor((x - left) * area), y: Math.floor((y - top) * area) }
      const color = meanColor(data, width, {
        ...from,
        toX: Math.min(width, Math.max(from.x + 1, Math.floor((x - left + 1) * area))),
        toY: Math.min(height, Math.max(from.y + 1, Math.floor((y - top + 1) * area))),
      })
      target.set(color, (y * WIDTH + x) * 4)
    }
  }
}

interface Area {
  readonly x: number
  readonly y: number
  readonly toX: number
  readonly toY: number
}

/** Returns the mean color of an area of an image on white. */
function meanColor(data: Uint8Array, width: number, { x, y, toX, toY }: Area): readonly number[] {
  const sums: [number, number, number] = [0, 0, 0]
  for (let row = y; row < toY; row++) {
    for (let column = x; column < toX; column++) {
      const at = (row * width + column) * 4
      const opacity = (data[at + 3] as number) / 255
      for (const i of [0, 1, 2] as const)
        sums[i] += (data[at + i] as number) * opacity + WHITE * (1 - opacity)
    }
  }
  const count = Math.max(1, (toX - x) * (toY - y))
  return sums.map((sum) => Math.round(sum / count))
}
