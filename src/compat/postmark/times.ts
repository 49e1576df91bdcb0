// Times in Postmark's form.

/** Returns a time with seven decimals and an offset, such as `2026-01-31T12:00:00.0000000Z`. */
export const timeText = (ms: number): string => new Date(ms).toISOString().replace('Z', '0000Z')

/** Returns a time of `/v1` in Postmark's form. */
export const timeOf = (text: string): string => timeText(Date.parse(text))
