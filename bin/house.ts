// Writes measures of the code structure of `src/` to docs/record/house.md, and a picture of the directories (rooms) of
// `src/` to docs/architecture.md.
//
// `npm run house` writes both pages.
// `npm run house -- --check` reports measures above their bounds, and an outdated picture.
// `npm run house -- --picture` prints the picture.

import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import { closureOf, importsOf } from '../test/runner/import-graph.ts'
import { pictureOf, withPicture } from './floors.ts'

const ROOT = join(import.meta.dirname, '..')
const PAGE = join(ROOT, 'docs/record/house.md')
const ARCHITECTURE = join(ROOT, 'docs/architecture.md')

/** A measure of the code structure. */
interface Figure {
  readonly name: string
  readonly value: number
  /** Value that the measure should reach. */
  readonly goal: number
  /** Maximum value that `npm run check` accepts; a bound is lowered together with the measure, and never raised. */
  readonly bound: number
  /** Items that the measure counts, for a developer who wants to lower the measure. */
  readonly members: readonly string[]
}

const FILES = globSync('src/**/*.ts', {
  cwd: ROOT,
  exclude: ['**/*.test.ts', '**/*.test-data.ts'],
}).toSorted()
const TEXTS = new Map(FILES.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]))
const linesOf = (text: string): number => text.split('\n').length - 1

/** Number of lines above which a function counts as long. */
const LONG_FUNCTION = 95
/** Number of lines below which a file with only one importer should be merged into the importer. */
const CRUMB_LINES = 60

/** Bounds of the measures. A change that lowers a measure also lowers the bound; no change raises a bound. */
const BOUNDS = { longest: 95, long: 0, mutual: 1, below: 25, crumbs: 31, lib: 35 }

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

const FUNCTION = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/

/** Returns the functions of a file with their positions (`file:line`) and their numbers of lines. */
function functionsOf(file: string): readonly { readonly place: string; readonly lines: number }[] {
  const text = TEXTS.get(file) ?? ''
  const found: { place: string; lines: number }[] = []
  const visit = (node: Node): void => {
    if (FUNCTION.test(node.type)) {
      const line = linesOf(text.slice(0, node.start)) + 1
      found.push({ place: `${file}:${line}`, lines: linesOf(text.slice(node.start, node.end)) + 1 })
    }
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child)
    }
  }
  visit(parseAst(text, { lang: 'ts' }) as unknown as Node)
  return found
}

/** Returns the pairs of directories of `src/store/` that import each other, each pair once. */
function mutualStoreRooms(): readonly string[] {
  const room = (file: string): string | undefined => /^src\/store\/(\w+)\//.exec(file)?.[1]
  const arrows = new Set<string>()
  for (const file of FILES) {
    const from = room(file)
    if (from === undefined) continue
    for (const to of importsOf(file).map(room))
      if (to !== undefined && to !== from) arrows.add(`${from} ${to}`)
  }
  return [...arrows]
    .map((arrow) => arrow.split(' ') as [string, string])
    .filter(([from, to]) => from < to && arrows.has(`${to} ${from}`))
    .map(([from, to]) => `${from} and ${to}`)
}

const DASHBOARD = globSync('dashboard/{pages,parts,texts}/**/*.{ts,tsx}', { cwd: ROOT })
const ANY_IMPORT = /\bfrom '(\.[^']+)'/g

/** Returns the files from which a file imports values or types, and the programs of threads that the file starts. */
const allImportsOf = (file: string): readonly string[] => [
  ...importsOf(file),
  ...Array.from(readFileSync(join(ROOT, file), 'utf8').matchAll(ANY_IMPORT), ([, path = '']) =>
    join(dirname(file), path),
  ),
]

/** Lists of endpoints, compatible services and commands: each of their files is one of many alike, and may be small. */
const LISTS: ReadonlySet<string> = new Set([
  'src/api/routes.ts',
  'src/api/dashboard/routes.ts',
  'src/cli/commands.ts',
  'src/compat/compatible-apis.ts',
])
/** The calls of one other service, which are endpoints too. */
const CALLS = /^src\/compat\/\w+\/vendor\.ts$/

/** Returns the small files that only one other file of the service or the dashboard imports, unless it is a list. */
function crumbs(): readonly string[] {
  const importers = new Map<string, Set<string>>()
  for (const file of [...FILES, ...DASHBOARD]) {
    for (const target of allImportsOf(file)) {
      importers.set(target, (importers.get(target) ?? new Set()).add(file))
    }
  }
  return FILES.flatMap((file) => {
    const [importer, ...others] = importers.get(file) ?? []
    const isList = importer !== undefined && (LISTS.has(importer) || CALLS.test(importer))
    const isCrumb = importer !== undefined && others.length === 0 && !isList
    return isCrumb && linesOf(TEXTS.get(file) ?? '') < CRUMB_LINES ? [`${file} in ${importer}`] : []
  })
}

/**
 * Files at which a walk along the imports ends: shared libraries, the engine of the store, and the list of all writes.
 */
const BESIDE_THE_WAY = /^src\/(lib|threads|tables|store\/database|api\/contract)\/|^src\/store\/writes\.ts$/

/**
 * Paths of a request through the service. `entries` are files that call each other only through injected dependencies.
 */
const WALKS = [
  {
    name: 'a message from `POST /v1/messages` to the wire',
    bound: 192,
    entries: [
      'src/api/messages/send.ts',
      'src/submission/submit.ts',
      'src/queue/manager.ts',
      'src/delivery/deliver.ts',
      'src/delivery/prepare.ts',
      'src/delivery/send.ts',
    ],
  },
  {
    name: 'one verification',
    bound: 69,
    entries: [
      'src/api/verifications/verify-email.ts',
      'src/verification/verify.ts',
      'src/verification/probe.ts',
      'src/egress/attempt.ts',
    ],
  },
  { name: 'a bounce', bound: 52, entries: ['src/smtpd/inbound-rules.ts', 'src/bounces/receive.ts'] },
] as const

/** Returns the files from which the entries of a path import values, directly or indirectly. */
function walked(entries: readonly string[]): readonly string[] {
  const reached = new Set<string>()
  const left = [...entries]
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (reached.has(file) || BESIDE_THE_WAY.test(file) || !file.startsWith('src/')) continue
    reached.add(file)
    left.push(...importsOf(file))
  }
  return [...reached].toSorted()
}

function figures(): readonly Figure[] {
  const functions = FILES.flatMap(functionsOf).toSorted((one, other) => other.lines - one.lines)
  const long = functions.filter(({ lines }) => lines > LONG_FUNCTION)
  const below = [...closureOf(['src/api/endpoint.ts'])].toSorted()
  const inLib = FILES.filter((file) => dirname(file) === 'src/lib')
  const count = (name: string, members: readonly string[], goal: number, bound: number): Figure => ({
    ...{ name, members, goal, bound, value: members.length },
  })
  return [
    {
      ...{
        name: 'lines of the longest function',
        value: functions[0]?.lines ?? 0,
        goal: 95,
        bound: BOUNDS.longest,
      },
      members: long.map(({ place, lines }) => `${place}: ${lines}`),
    },
    count(
      `functions over ${LONG_FUNCTION} lines`,
      long.map(({ place }) => place),
      0,
      BOUNDS.long,
    ),
    count('pairs of rooms of `store/` that import each other', mutualStoreRooms(), 1, BOUNDS.mutual),
    count('files that an endpoint loads (`api/endpoint.ts`)', below, 40, BOUNDS.below),
    count(
      `files under ${CRUMB_LINES} lines with one importer, other than endpoints and commands`,
      crumbs(),
      40,
      BOUNDS.crumbs,
    ),
    ...WALKS.map(({ name, entries, bound }) =>
      count(`files on the path of ${name}`, walked(entries), bound, bound),
    ),
    count(
      'files in `lib/`',
      inLib.map((file) => basename(file)),
      35,
      BOUNDS.lib,
    ),
  ]
}

const picture = pictureOf(FILES)
if (process.argv.includes('--picture')) {
  process.stdout.write(picture)
  process.exit(0)
}

const all = figures()
const over = all.filter(({ value, bound }) => value > bound)
for (const { name, value, bound, members } of over) {
  const more = members.length > 12 ? [`and ${members.length - 12} more, which npm run house lists`] : []
  console.error(
    `${name}: ${value}, above the bound of ${bound}:\n  ${[...members.slice(0, 12), ...more].join('\n  ')}`,
  )
}
const page = readFileSync(ARCHITECTURE, 'utf8')
const drawn = withPicture(page, picture)
if (process.argv.includes('--check')) {
  if (drawn !== page) console.error('the picture in docs/architecture.md is outdated: run npm run house')
  process.exit(over.length === 0 && drawn === page ? 0 : 1)
}
writeFileSync(ARCHITECTURE, drawn)

const table = all.map(({ name, value, goal, bound }) => `| ${name} | ${value} | ${bound} | ${goal} |`)
const lists = all.map(({ name, members }) => `## ${name}\n\n${members.map((one) => `- ${one}`).join('\n')}\n`)
writeFileSync(
  PAGE,
  `# Figures of the code structure

\`npm run house\` writes this page from the sources. \`npm run check\` fails when a figure exceeds its bound. A change that
lowers a figure also lowers the bound of the figure in \`bin/house.ts\`.

| Figure | Now | Bound | Goal |
|---|---|---|---|
${table.join('\n')}
| files in \`src/\` without tests | ${FILES.length} | | |
| lines in \`src/\` without tests | ${[...TEXTS.values()].reduce((sum, text) => sum + linesOf(text), 0)} | | |

${lists.join('\n')}`,
)
console.log(`written: ${[PAGE, ARCHITECTURE].map((path) => path.slice(ROOT.length + 1)).join(', ')}`)
