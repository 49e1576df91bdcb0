// The scales of a bar chart: a round top, and no more labels than there is room for.

/** Round values from 0 to at least `most`, about four steps apart; whole numbers only. */
export function ticksTo(most: number): readonly number[] {
  const rough = Math.max(1, most) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(1, [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? rough)
  const whole = Math.ceil(step)
  return Array.from({ length: Math.ceil(Math.max(1, most) / whole) + 1 }, (_, index) => index * whole)
}

/** Every how many bars there is room for a label, the last one always having one. */
export const labelEvery = (bars: number, width: number, room = 64): number =>
  Math.max(1, Math.ceil((bars * room) / Math.max(room, width)))
