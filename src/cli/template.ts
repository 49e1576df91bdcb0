// postrider template: copies templates and layouts from a directory into a domain (push), and the reverse (pull).

import type { FieldProblem } from '../model/problem.ts'
import type { LayoutInput, TemplateInput } from '../model/template.ts'
import type { Read } from '../store/database/store.ts'
import type { Owner } from '../store/messages/owner.ts'
import { type Layout, listLayouts, MAX_LAYOUTS } from '../store/workspace/layouts.ts'
import { listTemplates, MAX_TEMPLATES, type Template } from '../store/workspace/templates.ts'
import { checkLayout, checkTemplate } from '../templates/check.ts'
import { layoutOf } from '../templates/drafts.ts'
import { type Editing, layoutMissing, modelIn } from '../templates/editing.ts'
import { type Folder, readFolder, writeFolder, wrongFiles } from '../templates/folder.ts'
import { layoutEditing } from '../templates/layout-editing.ts'
import { templateEditing } from '../templates/template-editing.ts'
import type { Answer, Context } from './command.ts'
import { withDomain } from './open.ts'
import { counted, table } from './text.ts'

/** Inputs of `template push` and `template pull`. */
export interface FolderGiven {
  readonly dir: string
  readonly domain: string | undefined
  readonly account: string | undefined
}

type Change = 'made' | 'changed' | 'same'

interface Pushed {
  readonly kind: 'layout' | 'template'
  readonly alias: string
  readonly change: Change
}

/** Saves the files of a directory in a domain. Checks all files first; an unchanged template gets no new version. */
export function push(
  context: Context,
  given: FolderGiven & { readonly 'dry-run': boolean },
): Promise<Answer> {
  return withDomain(context, given, async ({ store, clock, owner }) => {
    const folder = await readFolder(given.dir)
    const editor = { ...owner, savedBy: 'operator' }
    const stored = await readDomain(store.read, owner)
    refuseWrong(folder, stored.layoutNames)
    const dry = given['dry-run']
    const save = async <Input extends Held>(
      kind: Pushed['kind'],
      editing: Editing<{ readonly id: string; readonly version: number }, Input>,
      alias: string,
      input: Input,
      before: Input | undefined,
    ): Promise<Pushed> => {
      if (before === undefined) {
        if (!dry) await editing.create(editor, input)
        return { kind, alias, change: 'made' }
      }
      if (same({ ...keptOf(before), ...input }, before)) return { kind, alias, change: 'same' }
      if (!dry) await editing.replace(editor, alias, input)
      return { kind, alias, change: 'changed' }
    }
    const pushed: Pushed[] = []
    const [layouts, templates] = [layoutEditing({ store, clock }), templateEditing({ store, clock })]
    // Layouts are saved first, because templates refer to layouts.
    for (const [alias, input] of folder.layouts) {
      pushed.push(await save('layout', layouts, alias, input, stored.layouts.get(alias)))
    }
    for (const [alias, input] of folder.templates) {
      pushed.push(await save('template', templates, alias, input, stored.templates.get(alias)))
    }
    return pushedAnswer(pushed, dry)
  })
}

function pushedAnswer(pushed: readonly Pushed[], dry: boolean): Answer {
  const rows = pushed.map(({ kind, alias, change }) => [kind, alias, change])
  const note = dry ? '\n\nNothing was saved: this was a dry run.' : ''
  return {
    document: { data: pushed, dry_run: dry },
    text: table(['kind', 'alias', 'now'], rows, 'The folder is empty.') + note,
  }
}

function refuseWrong({ layouts, templates }: Folder, stored: ReadonlySet<string>): void {
  const isMissing = (layout: string | undefined): boolean =>
    layout !== undefined && !layouts.has(layout) && !stored.has(layout)
  const problems = [
    ...[...layouts].flatMap(([alias, input]) => ofFile(`layouts/${alias}`, checkLayout(input).problems)),
    ...[...templates].flatMap(([alias, input]) =>
      ofFile(`templates/${alias}`, [
        ...checkTemplate(input).problems,
        ...(isMissing(layoutOf(input)) ? [layoutMissing] : []),
      ]),
    ),
  ]
  if (problems.length > 0) throw wrongFiles(problems)
}

const ENDINGS: Readonly<Record<string, string>> = { html: 'html', text: 'txt' }

const ofFile = (file: string, problems: readonly FieldProblem[]) =>
  problems.map((problem) => {
    const path = `${file}.${ENDINGS[problem.path] ?? 'json'}`
    return { ...problem, path, message: `${path}: ${problem.message}` }
  })

type Held = TemplateInput | LayoutInput

/** Returns the fields that keep their value if a file does not contain them. */
const keptOf = ({ sample_model = null }: Held) => ({ sample_model })

/** True if the two templates or layouts are equal, so that a save would change nothing. */
const same = (one: Held, other: Held): boolean => JSON.stringify(usual(one)) === JSON.stringify(usual(other))

/** Returns the normal form of a template or layout: all optional fields are present, in a fixed order. */
function usual(held: Held): object {
  const { name, subject, html, text, layout, required, inline_css, sample_model }: TemplateInput = held
  return [
    name,
    subject || null,
    html || null,
    text || null,
    layoutOf({ layout: layout ?? null }) ?? null,
    required ?? [],
    inline_css ?? false,
    sample_model ?? null,
  ]
}

/** Writes all templates and layouts with an alias to a directory; other files in the directory stay unchanged. */
export function pull(context: Context, given: FolderGiven): Promise<Answer> {
  return withDomain(context, given, async ({ store, owner }) => {
    const folder = await readDomain(store.read, owner)
    const written = await writeFolder(given.dir, folder)
    const unnamed =
      folder.unnamed.length === 0
        ? ''
        : `\nNot written, because the alias is missing: ${folder.unnamed.join(', ')}.`
    return {
      document: { data: written.map((file) => ({ file })), unnamed: folder.unnamed },
      text: `${counted(folder.templates.size, 'template')} and ${counted(folder.layouts.size, 'layout')} in the domain; ${counted(written.length, 'file')} written.${unnamed}`,
    }
  })
}

interface DomainFolder extends Folder {
  readonly unnamed: readonly string[]
  /** Aliases and IDs of all layouts. */
  readonly layoutNames: ReadonlySet<string>
}

async function readDomain(read: Read, owner: Owner): Promise<DomainFolder> {
  const layouts = await listLayouts(read, owner, { limit: MAX_LAYOUTS })
  const templates = await listTemplates(read, owner, { limit: MAX_TEMPLATES })
  return {
    layouts: byAlias(layouts, layoutInput),
    templates: byAlias(templates, templateInput),
    unnamed: [...layouts, ...templates].filter(({ alias }) => alias === null).map(({ id }) => id),
    layoutNames: new Set(layouts.flatMap(({ alias, id }) => (alias === null ? [id] : [alias, id]))),
  }
}

function byAlias<Stored extends { readonly alias: string | null }, Input>(
  all: readonly Stored[],
  inputOf: (stored: Stored) => Input,
): Map<string, Input> {
  const named = all.flatMap((stored) =>
    stored.alias === null ? [] : [[stored.alias, inputOf(stored)] as const],
  )
  return new Map(named.sort(([one], [other]) => (one < other ? -1 : 1)))
}

const layoutInput = ({ alias, name, html, text, sample_model }: Layout): LayoutInput => ({
  ...{ alias, name, html, text },
  sample_model: modelIn(sample_model),
})

const templateInput = (template: Template): TemplateInput => ({
  alias: template.alias,
  name: template.name,
  subject: template.subject,
  html: template.html,
  text: template.text,
  layout: template.layout,
  required: JSON.parse(template.required_paths) as string[],
  inline_css: template.inline_css === 1,
  sample_model: modelIn(template.sample_model),
})
