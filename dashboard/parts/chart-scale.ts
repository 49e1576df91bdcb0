// The scales of a bar chart: a round top, and no more labels than there is room for.

/** Round values from 0 to at least `most`, about four steps apart; whole numbers only. */
export function ticksTo(most: number): readonly number[] {
  const rough = Math.max(1, most) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(1, [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? rough)
  const whole = Math.ceil(step)
  return Array.from({ length: Math.ceil(Math.max(1, most) / whole) + 1 }, (_, index) => index * whole)
}

/** Pixels for a character of a label: half of it again, since the last label ends at the edge instead of below its bar. */
const CHARACTER = 9
const GAP = 10

/** Every how many bars there is room for a label of so many characters, the last one always having one. */
export function labelEvery(bars: number, width: number, characters: number): number {
  const room = characters * CHARACTER + GAP
  return Math.max(1, Math.ceil((bars * room) / Math.max(room, width)))
}
