// The scales of a bar chart: a round maximum, and only as many labels as there is space for.

/** Returns round integers from 0 to at least `most`, in about four steps. */
export function ticksTo(most: number): readonly number[] {
  const rough = Math.max(1, most) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(1, [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? rough)
  const whole = Math.ceil(step)
  return Array.from({ length: Math.ceil(Math.max(1, most) / whole) + 1 }, (_, index) => index * whole)
}

/**
 * Width of a character of a label in pixels, with a reserve of one half, because the last label ends at the edge
 * instead of below its bar.
 */
const CHARACTER = 9
const GAP = 10

/** Returns the interval of labelled bars for labels of this many characters; the last bar always has a label. */
export function labelEvery(bars: number, width: number, characters: number): number {
  const room = characters * CHARACTER + GAP
  return Math.max(1, Math.ceil((bars * room) / Math.max(room, width)))
}
