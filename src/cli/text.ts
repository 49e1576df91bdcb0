// Plain text for people: tables, and foreign text made safe to print.

/**
 * Returns the text with control characters written as `\x1b`, so that foreign text cannot control the terminal. Line
 * breaks stay when `lines` is true.
 */
export function printable(text: string, lines = false): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    if (lines && character === '\n') return character
    return `\\x${(character.codePointAt(0) as number).toString(16).padStart(2, '0')}`
  })
}

/** Returns rows under their headings, in columns two spaces apart. `none` is the sentence for an empty table. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  none: string,
): string {
  if (rows.length === 0) return none
  const cells = rows.map((row) => row.map((cell) => printable(String(cell))))
  const lines = [headings.map((heading) => heading.toUpperCase()), ...cells]
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Returns `Name   value` lines with aligned values, indented by two. */
export function fields(pairs: readonly (readonly [name: string, value: string | number])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length))
  return pairs
    .map(([name, value]) => `  ${name.padEnd(width)}   ${printable(String(value))}`.trimEnd())
    .join('\n')
}

/** Returns `1 recipient`, `2 recipients`. */
export const counted = (count: number, noun: string, many = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : many}`
