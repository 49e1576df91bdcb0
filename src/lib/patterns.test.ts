// Tests that every regular expression in the source takes linear time, or is listed here with the bound of its text.
//
// thorough: 6 CPU s: every regular expression against long texts

import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { cpuWatch } from '../../test/support/cpu-time.ts'

const SRC = fileURLToPath(new URL('..', import.meta.url))

const OF_THE_OPERATOR = 'settings, which the operator writes'

/** Patterns that do not take linear time, by file, with the reason why the matched texts are short or harmless. */
const BOUNDED: Readonly<Record<string, readonly (readonly [pattern: string, bound: string])[]>> = {
  'api/reference/html.ts': [['("(?:[^"\\\\]|\\\\.)*")(\\s*:)?', 'examples of this program']],
  'config/settings-file.ts': [
    [`^(?:"([^"]*)"|'([^']*)'|((?!["']).*?))(?:(?:^|\\s+)#.*)?\\s*$`, OF_THE_OPERATOR],
  ],
  'dsn/text-bounce.ts': [['\\.+$', 'an address of at most 320 characters, or a field of at most 2,000']],
  'http/malformed-requests.ts': [
    ['Content-Length.*Transfer-Encoding|Transfer-Encoding.*Content-Length', 'an error text of the parser'],
  ],
  'inbound/attribution.ts': [['[!?]\\s*$|\\p{L}{4,}\\.\\s*$', 'a line of at most 400 characters']],
  'inbound/authenticate.ts': [
    [
      '^Authentication-Results:\\s*([\\s\\S]*?)\\r\\n(?![ \\t])',
      'a field that was written here, with its end',
    ],
  ],
  'lib/setting-kinds.ts': [['\\/+$', OF_THE_OPERATOR]],
  'mime/header-field.ts': [['[ \\t]+[^ \\t]+', 'a text that does not end in white space']],
  'mime/mend/address-list.ts': [
    [
      '[ \\t]*(?:(?:"(?:[^"\\\\]|\\\\.)*"|[^@<>(),:;[\\]\\\\"])*<[^@<>(),:;[\\]\\\\"\\s]+@[^@<>(),:;[\\]\\\\"\\s]+>|[^@<>(),:;[\\]\\\\"\\s]+@[^@<>(),:;[\\]\\\\"\\s]+)[ \\t]*(,(?=[ \\t]*[^ \\t,])|$)',
      'is sticky and ends at its first failure: one place of a field, not all',
    ],
  ],
  'mime/parts.ts': [
    [
      '[;\\s][ \\t]*boundary[ \\t]*=[ \\t]*(?:"([^"]{1,200})"|([^\\s;"]{1,200}))',
      'a Content-Type of at most 4,000 characters',
    ],
    [
      '[;\\s][ \\t]*start[ \\t]*=[ \\t]*"?<?([^\\s";<>]{1,250})>?"?',
      'a Content-Type of at most 4,000 characters',
    ],
  ],
  'mime/read-mailboxes.ts': [['"(?:[^"\\\\]|\\\\.)*"', '`MAX_SOLE` characters']],
  'smtp/fault-words.ts': [['\\s*\\n\\s*', 'a table of this program']],
  'smtp/message-data.ts': [['\\B(?=(\\d{3})+$)', 'a number']],
  'smtp/reply-text.ts': [['\\(([^)]*)\\)', 'the text of a reply, at most 2,000 characters']],
  'tables/workbook-sheet.ts': [
    ['"[^"]*"|\\[[^\\]]*\\]|\\\\.|_.|\\*.', 'a format, in a thread that has a time limit for a workbook'],
  ],
  'templates/edited-tags.ts': [
    [
      `"[^"]*"|'[^']*'|<!--[\\s\\S]*?-->|<\\/?[a-z][^<>]*>|&(?:#\\d{1,7}|#x[\\da-f]{1,6}|[a-z]{2,14});|[\\s\\S]`,
      'a tag of at most `MAX_TAG` characters',
    ],
  ],
  'templates/foreign-tags.ts': [['[A-Za-z_]\\w*$', 'a tag of at most 200 characters']],
}

/**
 * Matches a regular expression literal after a character that may precede an expression; a division has spaces around
 * its operator.
 */
const LITERAL =
  /(?:^|[(,=:[!&|?{;]|=>|return)\s*\/((?![*/ ])(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[\n])+)\/([dgimsuyv]*)/g

interface Pattern {
  readonly file: string
  readonly source: string
  readonly flags: string
}

async function patternsOf(file: string): Promise<Pattern[]> {
  const lines = (await readFile(`${SRC}/${file}`, 'utf8')).split('\n')
  return lines
    .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line))
    .flatMap((line) => [...line.matchAll(LITERAL)])
    .map(([, source = '', flags = '']) => ({ file, source, flags }))
}

const CHARACTERS = [...'a1A .-:;,"\'<>@/=&\\(){%é?#*|~!_\n\t\r']
const MAX_SAMPLES = 20

/**
 * Returns words of a pattern and members of its character classes, as parts of texts in which the pattern matches a
 * long prefix.
 */
function samplesOf({ source, flags }: Pattern): string[] {
  const found = [...source.matchAll(/\[(?:\\.|[^\]\\])*\]|\\[dDwWsS]|\./g)]
  const classes = found.map(([one]) => new RegExp(one, flags.replace(/[gy]/g, '')))
  const members = classes.flatMap((one) => CHARACTERS.filter((character) => one.test(character)).slice(0, 6))
  const words = source
    .replace(/\(\?(?:<?[=!]|:|<\w+>)|\[(?:\\.|[^\]\\])*\]|\\[bBdDwWsSnrt]|\{\d*,?\d*\}/g, ' ')
    .replace(/\\(.)/g, '$1')
    .split(/[ ()|^$*+?]+/)
    .filter((word) => word !== '' && word.length < 40)
  const blanks = /\\[snrt]| /.test(source) ? [' ', '\n', '\t'] : []
  const signs = [...source.matchAll(/\\(\W)/g)].map(([, sign = '']) => sign)
  const samples = [...words.slice(0, 6), ...signs, ...members, ...blanks, ...words.slice(6)]
  return [...new Set(samples)].slice(0, MAX_SAMPLES)
}

/**
 * Yields functions that return a text of a given length: one repeated sample or two alternating samples, after samples
 * that begin a match.
 */
function* textsFor(pattern: Pattern): Generator<(length: number) => string> {
  const samples = samplesOf(pattern)
  const beginnings = [
    '',
    ...samples.slice(0, 8),
    ...samples.slice(0, 3).map((one, at) => one + samples[at + 1]),
  ]
  const repeated = [...samples, ...samples.flatMap((one) => samples.slice(0, 8).map((other) => one + other))]
  for (const part of repeated) {
    for (const first of part.length > 2 ? [''] : beginnings) {
      yield (length) => `${first}${part.repeat(length / part.length)}\0`
    }
    for (const first of beginnings.slice(0, 2)) {
      yield (length) => first + part.repeat(length / part.length)
    }
  }
}

/** Returns the least CPU time of some runs of the pattern, in milliseconds; the first run includes compilation. */
function leastMs({ source, flags }: Pattern, text: string, runs: number, enough = 0): number {
  const pattern = new RegExp(source, flags)
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs && least > enough; run++) {
    pattern.lastIndex = 0
    const used = cpuWatch()
    if (pattern.global) text.replace(pattern, '')
    else pattern.exec(text)
    least = Math.min(least, used())
  }
  return least
}

const LONGEST = 12_000
/** CPU time of a quadratic pattern on the longest text, in milliseconds. */
const QUADRATIC_MS = leastMs({ file: '', source: '\\/*$', flags: '' }, `${'/'.repeat(LONGEST)}\0`, 5)
/** A linear pattern takes less than a hundredth of the time of a quadratic pattern on the longest text. */
const LONG_MS = QUADRATIC_MS / 10
/** A quadratic pattern takes a sixteenth of its time on a text of a quarter of the length. */
const SHORT_MS = QUADRATIC_MS / 120
/** A text of four times the length takes a linear pattern four times as long, and a quadratic pattern sixteen times. */
const MOST_GROWTH = 8

/** True if each of three runs takes longer than `ms`. */
const isOver = (ms: number, pattern: Pattern, text: string): boolean => leastMs(pattern, text, 3, ms) > ms

/**
 * True if the time of the pattern grows faster than the length of the text. Both times are measured at one moment, so
 * the programs of other tenants have little influence.
 */
const growsFaster = (pattern: Pattern, textOf: (length: number) => string, length: number): boolean =>
  [1, 2].every(
    () => leastMs(pattern, textOf(length), 1) > MOST_GROWTH * leastMs(pattern, textOf(length / 4), 3),
  )

/** Short texts reveal exponential and cubic patterns, and longer texts quadratic patterns. */
function takesLonger(pattern: Pattern): boolean {
  for (const textOf of textsFor(pattern)) {
    for (const length of [24, 300]) {
      if (isOver(SHORT_MS, pattern, textOf(length)) && growsFaster(pattern, textOf, length)) return true
    }
    const isSlow = isOver(SHORT_MS, pattern, textOf(LONGEST / 4)) && isOver(LONG_MS, pattern, textOf(LONGEST))
    if (isSlow && growsFaster(pattern, textOf, LONGEST)) return true
  }
  return false
}

test('a slow pattern is detected', () => {
  const slow = [
    ['(?<=\\bcharset[ \\t]*=[ \\t]*"?)[^\\s;"]{1,40}', 'i'],
    ['\\/*$', ''],
    ['^(\\w+\\s?)*$', ''],
    ['<a[^>]*>.*?<\\/a>', 'gs'],
  ] as const
  for (const [source, flags] of slow) assert.ok(takesLonger({ file: '', source, flags }), source)
})

test('every pattern takes time in proportion to its text', async () => {
  const files = await Array.fromAsync(glob('**/*.ts', { cwd: SRC, exclude: ['**/*.test*.ts'] }))
  const patterns = (await Promise.all(files.sort().map(patternsOf))).flat()
  assert.ok(patterns.length > 500, `${patterns.length} patterns were found`)
  const isBounded = ({ file, source }: Pattern): boolean =>
    BOUNDED[file]?.some(([bounded]) => bounded === source) ?? false
  const slow = patterns.filter((pattern) => !isBounded(pattern) && takesLonger(pattern))
  assert.deepEqual(
    slow.map(({ file, source }) => [file, source]),
    [],
  )
  const bounded = Object.entries(BOUNDED).flatMap(([file, listed]) =>
    listed.map(([source]) => ({ file, source })),
  )
  const gone = bounded.filter(
    ({ file, source }) => !patterns.some((one) => one.file === file && one.source === source),
  )
  assert.deepEqual(gone, [], 'the source no longer has these patterns')
})
