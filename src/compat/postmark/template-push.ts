// Copies the templates and layouts of one domain to another, by alias.

import { callerOf } from '../../api/caller.ts'
import { findObject } from '../numbers.ts'
import { rowsOf } from '../pages.ts'
import { FieldNames, type Fields } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { findTemplate, type Whole } from './found-template.ts'
import { shownNumber } from './objects.ts'
import { CODES, PostmarkProblem } from './problem.ts'

const PUSH = new FieldNames('SourceServerID', 'DestinationServerID', 'PerformChanges')
/** Layouts come first, because templates name them. */
const KINDS = ['layouts', 'templates'] as const

/** Change of a template at its destination. */
interface Action {
  readonly Action: 'Create' | 'Edit'
  readonly TemplateId?: number
  readonly Alias: string
  readonly Name: string
  readonly TemplateType: 'Layout' | 'Standard'
}

export async function pushTemplates(translation: Translation): Promise<object> {
  const fields = translation.body(PUSH)
  const isDone = fields.flag('PerformChanges') ?? false
  const [source, destination] = await Promise.all([
    domainIn(translation, fields, 'SourceServerID'),
    domainIn(translation, fields, 'DestinationServerID'),
  ])
  translation.check()
  if (source === undefined || destination === undefined) throw unknownServers(source, destination)
  const actions: Action[] = []
  for (const kind of KINDS) {
    const rows = rowsOf<{ readonly alias: string | null }>(translation, `${kind}.list`, { domain: source })
    for await (const { alias } of rows) {
      if (alias === null) continue
      const found = await findTemplate(translation, alias, source)
      const present = await findTemplate(translation, alias, destination)
      if (found === undefined || (present !== undefined && isSame(found, present))) continue
      actions.push(await push(translation, found, present, destination, isDone))
    }
  }
  return { TotalCount: actions.length, Templates: actions }
}

/** Returns the refusal that names the servers that do not exist, as Postmark does. */
function unknownServers(source: string | undefined, destination: string | undefined): PostmarkProblem {
  const names = [
    ...(source === undefined ? ['source'] : []),
    ...(destination === undefined ? ['destination'] : []),
  ]
  const were = names.length > 1 ? 'servers were' : 'server was'
  return new PostmarkProblem(
    'validation_failed',
    CODES.fields,
    `The ${names.join(' and ')} ${were} not found.`,
  )
}

async function domainIn(translation: Translation, fields: Fields, name: string): Promise<string | undefined> {
  const { services, request } = translation
  const number = fields.integer(name) ?? 0
  return findObject(services, callerOf(request), 'domain', number)
}

/** Returns the fields of a template that are copied. */
const contentOf = (found: Whole): object => {
  const { alias, name, html, text } = found
  if (found.kind === 'layouts') return { alias, name, html, text }
  const { subject, layout, required, inline_css } = found
  return { alias, name, html, text, subject, layout, required, inline_css }
}

const isSame = (one: Whole, other: Whole): boolean =>
  JSON.stringify(contentOf(one)) === JSON.stringify(contentOf(other))

async function push(
  translation: Translation,
  found: Whole,
  present: Whole | undefined,
  domain: string,
  isDone: boolean,
): Promise<Action> {
  const { kind, alias, name } = found
  const query = { domain }
  const body = contentOf(found)
  let id = present?.id
  if (isDone && id === undefined) {
    const made = await translation.v1<{ readonly template_id?: string; readonly layout_id?: string }>(
      `${kind}.create`,
      { query, body },
    )
    id = made.body.template_id ?? made.body.layout_id
  } else if (isDone && id !== undefined) {
    await translation.v1(`${kind}.replace`, { params: { id_or_alias: id }, query, body })
  }
  return {
    Action: present === undefined ? 'Create' : 'Edit',
    ...(id === undefined ? {} : { TemplateId: await shownNumber(translation, 'template', id) }),
    Alias: alias ?? '',
    Name: name,
    TemplateType: kind === 'layouts' ? 'Layout' : 'Standard',
  }
}
