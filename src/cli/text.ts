// Formats plain text for people: tables, fields, and untrusted text without control characters.

/**
 * Returns the text with control characters escaped (such as `\x1b`), so that untrusted text cannot control the
 * terminal. Line breaks are not escaped if `lines` is true.
 */
export function printable(text: string, lines = false): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    if (lines && character === '\n') return character
    return `\\x${(character.codePointAt(0) as number).toString(16).padStart(2, '0')}`
  })
}

/** Formats rows under headings, in columns two spaces apart. `none` is the sentence for an empty table. */
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

/** Formats pairs as `Name   value` lines with aligned values, indented by two spaces. */
export function fields(pairs: readonly (readonly [name: string, value: string | number])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length))
  return pairs
    .map(([name, value]) => `  ${name.padEnd(width)}   ${printable(String(value))}`.trimEnd())
    .join('\n')
}

/** Returns a number with its noun, such as `1 recipient` or `2 recipients`. */
export const counted = (count: number, noun: string, many = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : many}`
