// The scales of a bar chart: a round maximum, and only as many labels as there is space for.

/** Returns round integers from 0 to at least `most`, in about four steps. */
export function ticksTo(most: number): readonly number[] {
  const rough = Math.max(1, most) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(1, [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? rough)
  const whole = Math.ceil(step)
  return Array.from({ length: Math.ceil(Math.max(1, most) / whole) + 1 }, (_, index) => index * whole)
}

/** Average width of a character of a label in pixels, and the least space between two labels. */
const CHARACTER = 7
const GAP = 16

/** Returns the width of a label of this many characters in pixels. */
export const labelWidth = (characters: number): number => characters * CHARACTER

/**
 * Returns the interval of labelled bars for labels of this many characters.
 *
 * @param steps permitted intervals, in ascending order; the largest is used if none is large enough
 */
export function labelEvery(
  bars: number,
  width: number,
  characters: number,
  steps?: readonly number[],
): number {
  const room = labelWidth(characters) + GAP
  const least = Math.max(1, Math.ceil((bars * room) / Math.max(room, width)))
  return steps?.find((step) => step >= least) ?? steps?.at(-1) ?? least
}
