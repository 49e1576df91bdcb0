// postrider template: copies templates and layouts from a directory into a domain (push), and the reverse (pull).

import type { LayoutView, TemplateView } from '../api/contract/template.ts'
import { type FieldProblem, Problem } from '../model/problem.ts'
import type { LayoutInput, TemplateInput } from '../model/template.ts'
import { checkLayout, checkTemplate, isAlias } from '../templates/check.ts'
import { layoutOf } from '../templates/drafts.ts'
import { layoutMissing } from '../templates/editing.ts'
import { type Folder, readFolder, writeFolder, wrongFiles } from '../templates/folder.ts'
import { type Api, pathOf } from './api.ts'
import type { Answer, Context } from './command.ts'
import { oneDomain, withApi } from './open.ts'
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
  { dir, domain: named, account, 'dry-run': dry }: FolderGiven & { readonly 'dry-run': boolean },
): Promise<Answer> {
  return withApi(context, account, async (api) => {
    const domain = await oneDomain(api, named)
    const folder = await readFolder(dir)
    const stored = await readDomain(api, domain)
    refuseWrong(folder, stored.layoutNames)
    const save = async (
      kind: Pushed['kind'],
      alias: string,
      input: Held,
      before: Held | undefined,
    ): Promise<Pushed> => {
      if (before === undefined) {
        if (!dry) await api.post(`/v1/${kind}s`, input, { domain })
        return { kind, alias, change: 'made' }
      }
      if (same({ ...keptOf(before), ...input }, before)) return { kind, alias, change: 'same' }
      if (!dry) await api.put(pathOf`/v1/${`${kind}s`}/${alias}`, input, { domain })
      return { kind, alias, change: 'changed' }
    }
    const pushed: Pushed[] = []
    // Layouts are saved first, because templates refer to layouts.
    for (const [alias, input] of folder.layouts) {
      pushed.push(await save('layout', alias, input, stored.layouts.get(alias)))
    }
    for (const [alias, input] of folder.templates) {
      pushed.push(await save('template', alias, input, stored.templates.get(alias)))
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
export function pull(context: Context, { dir, domain, account }: FolderGiven): Promise<Answer> {
  return withApi(context, account, async (api) => {
    const folder = await readDomain(api, await oneDomain(api, domain))
    const written = await writeFolder(dir, folder)
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

async function readDomain(api: Api, domain: string): Promise<DomainFolder> {
  const layouts = await listed<LayoutView>(api, 'layouts', domain, ({ layout_id }) => layout_id)
  const templates = await listed<TemplateView>(api, 'templates', domain, ({ template_id }) => template_id)
  return {
    layouts: inputsOf(layouts.named, layoutInput),
    templates: inputsOf(templates.named, templateInput),
    unnamed: [...layouts.unnamed, ...templates.unnamed],
    layoutNames: new Set([
      ...layouts.named.flatMap((one) => [one.layout_id, one.alias ?? '']),
      ...layouts.unnamed,
    ]),
  }
}

interface Shown {
  readonly alias: string | null
}

/** Returns the layouts or the templates of a domain with an alias, and the IDs of the others. */
async function listed<Stored extends Shown>(
  api: Api,
  kind: 'layouts' | 'templates',
  domain: string,
  idOf: (stored: Stored) => string,
): Promise<{ readonly named: readonly Stored[]; readonly unnamed: readonly string[] }> {
  const all = await api.list<Stored>(`/v1/${kind}`, { domain })
  const named: Stored[] = []
  for (const one of all) {
    if (one.alias === null) continue
    // An alias becomes the name of a file, which an installation elsewhere must not choose freely.
    if (!isAlias(one.alias)) {
      throw new Problem('unavailable', `The alias ${JSON.stringify(one.alias)} cannot be the name of a file.`)
    }
    named.push(await api.get<Stored>(pathOf`/v1/${kind}/${idOf(one)}`, { domain }))
  }
  return { named, unnamed: all.filter(({ alias }) => alias === null).map(idOf) }
}

function inputsOf<Stored extends Shown, Input>(
  all: readonly Stored[],
  inputOf: (stored: Stored) => Input,
): Map<string, Input> {
  const named = all.map((stored) => [stored.alias ?? '', inputOf(stored)] as const)
  return new Map(named.sort(([one], [other]) => (one < other ? -1 : 1)))
}

const layoutInput = ({ alias, name, html, text, sample_model }: LayoutView): LayoutInput => ({
  ...{ alias, name, html, text, sample_model },
})

const templateInput = ({ alias, name, subject, html, text, ...rest }: TemplateView): TemplateInput => ({
  ...{ alias, name, subject, html, text },
  layout: rest.layout,
  required: rest.required,
  inline_css: rest.inline_css,
  sample_model: rest.sample_model,
})
