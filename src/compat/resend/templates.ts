// Templates in the form of Resend. A template is published when it is saved.

import type { Static } from 'typebox'
import type { TemplateList, TemplateView } from '../../api/contract/template.ts'
import { uuidOfId } from '../../lib/ids.ts'
import type { VendorCall } from '../declaration.ts'
import { FieldNames, type Fields, type Reading } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { pageOf } from './pages.ts'
import {
  sampleModel,
  typeOf,
  VARIABLE_NAME,
  VARIABLE_TYPES,
  type Variable,
  withOwnPlaceholders,
  withTheirPlaceholders,
} from './placeholders.ts'
import { templateName } from './template-ids.ts'

type View = Static<typeof TemplateView>
type Entry = Static<typeof TemplateList>['data'][number]

const TEMPLATE = new FieldNames(
  ...['name', 'alias', 'from', 'subject', 'reply_to', 'html', 'text', 'variables'],
)
const VARIABLE = new FieldNames('key', 'type', 'fallback_value')

const noun = 'Templates'
const PUBLISHED =
  'A template is published when it is saved: a change takes effect at once, and publishing changes nothing.'

/** A template as clients write it. */
interface Written {
  readonly name: string
  readonly alias: string | null
  readonly subject: string | null
  readonly html: string | null
  readonly text: string | null
  readonly variables: readonly Variable[]
}

/** Returns a stored template with the placeholders and the variables of Resend. */
function writtenOf(template: View): Written {
  const found = new Map<string, Variable>()
  const part = (text: string | null): string | null =>
    text === null ? null : withTheirPlaceholders(text, found)
  const [subject, html, text] = [template.subject, template.html, template.text].map((one) => part(one))
  const samples = (template.sample_model ?? {}) as Readonly<Record<string, unknown>>
  for (const key of template.required.filter((one) => VARIABLE_NAME.test(one) && !found.has(one))) {
    found.set(key, { key, type: typeOf(samples[key]), fallback: undefined })
  }
  const { name, alias } = template
  return {
    ...{ name, alias, subject: subject ?? null, html: html ?? null, text: text ?? null },
    variables: [...found.values()],
  }
}

/** Returns the body of a template under `/v1`. */
const bodyOf = ({ name, alias, subject, html, text, variables }: Written): object => {
  const part = (value: string | null): string | null =>
    value === null ? null : withOwnPlaceholders(value, variables)
  return {
    ...{ name, alias, subject: part(subject), html: part(html), text: part(text) },
    required: variables.filter(({ fallback }) => fallback === undefined).map(({ key }) => key),
    sample_model: sampleModel(variables),
  }
}

/** Reads a new template, or a change of `before`; absent fields stay as they are, and null removes a part. */
function readTemplate(
  { reading, request }: Translation,
  fields: Fields,
  before: Written | undefined,
): Written {
  for (const name of ['from', 'reply_to']) {
    if (fields.has(name)) reading.ignore(name)
  }
  const body = request.body as Readonly<Record<string, unknown>> | null
  const part = (name: 'alias' | 'subject' | 'html' | 'text'): string | null =>
    fields.text(name) ?? (body?.[name] === null || body?.[name] === '' ? null : (before?.[name] ?? null))
  const name = fields.text('name') ?? before?.name
  if (name === undefined) reading.wrong('name', 'required', 'Give the template a name.')
  return {
    name: name ?? '',
    ...{ alias: part('alias'), subject: part('subject'), html: part('html'), text: part('text') },
    variables: fields.has('variables') ? readVariables(reading, fields) : (before?.variables ?? []),
  }
}

function readVariables(reading: Reading, fields: Fields): Variable[] {
  return fields.objects('variables', VARIABLE).flatMap((one) => {
    const key = one.text('key')
    if (key === undefined || !VARIABLE_NAME.test(key)) {
      reading.wrong(one.at('key'), 'invalid_value', 'A name has letters, digits and underscores.')
      return []
    }
    const type = one.word('type', VARIABLE_TYPES) ?? 'string'
    const fallback = one.value('fallback_value')
    if (typeof fallback === 'object') {
      reading.refuse(one.at('fallback_value'), 'Only texts, numbers and booleans can be fallbacks.')
      return [{ key, type, fallback: undefined }]
    }
    return [{ key, type, fallback: fallback as Variable['fallback'] }]
  })
}

const entryOf = (template: Entry): object => ({
  id: uuidOfId(template.template_id),
  name: template.name,
  alias: template.alias,
  status: 'published',
  published_at: template.updated_at,
  created_at: template.created_at,
  updated_at: template.updated_at,
})

function viewOf(template: View): object {
  const { variables, subject, html, text } = writtenOf(template)
  const times = { created_at: template.created_at, updated_at: template.updated_at }
  return {
    object: 'template',
    ...entryOf(template),
    ...{ from: null, subject, reply_to: null, html, text },
    variables: variables.map(({ key, type, fallback = null }) => ({
      ...{ key, type, fallback_value: fallback },
      ...times,
    })),
    has_unpublished_versions: false,
    current_version_id: uuidOfId(template.template_id),
  }
}

const templateParam = (translation: Translation) => ({ id_or_alias: templateName(translation.param('id')) })

const find = async (translation: Translation): Promise<View> =>
  (await translation.v1<View>('templates.get', { params: templateParam(translation) })).body

const idOnly = ({ template_id }: Pick<View, 'template_id'>): object => ({
  object: 'template',
  id: uuidOfId(template_id),
})

export const templateCalls: readonly VendorCall[] = [
  {
    method: 'POST',
    path: '/templates',
    noun,
    summary: 'Create a template',
    scope: 'templates:write',
    state: 'differs',
    differences: `${PUBLISHED} \`from\` and \`reply_to\` are ignored; give them with each email.`,
    body: { maxBytes: 'content' },
    async handler(translation) {
      const written = readTemplate(translation, translation.body(TEMPLATE), undefined)
      const { body } = await translation.v1<View>('templates.create', { body: bodyOf(written) })
      translation.reply.code(201)
      return idOnly(body)
    },
  },
  {
    method: 'GET',
    path: '/templates',
    noun,
    summary: 'List templates',
    scope: 'templates:read',
    state: 'served',
    handler: (translation) =>
      pageOf<Entry>(translation, {
        operation: 'templates.list',
        prefix: 'tpl',
        idOf: ({ template_id }) => template_id,
        view: entryOf,
      }),
  },
  {
    method: 'GET',
    path: '/templates/:id',
    noun,
    summary: 'Retrieve a template',
    scope: 'templates:read',
    state: 'served',
    handler: async (translation) => viewOf(await find(translation)),
  },
  {
    method: 'PATCH',
    path: '/templates/:id',
    noun,
    summary: 'Change a template',
    scope: 'templates:write',
    state: 'differs',
    differences: PUBLISHED,
    body: { maxBytes: 'content' },
    async handler(translation) {
      const before = await find(translation)
      const written = readTemplate(translation, translation.body(TEMPLATE), writtenOf(before))
      const { layout, inline_css, version } = before
      const { body } = await translation.v1<View>('templates.replace', {
        params: { id_or_alias: before.template_id },
        body: { ...bodyOf(written), layout, inline_css, replaces_version: version },
      })
      return idOnly(body)
    },
  },
  {
    method: 'POST',
    path: '/templates/:id/publish',
    noun,
    summary: 'Publish a template',
    scope: 'templates:write',
    state: 'differs',
    differences: PUBLISHED,
    handler: async (translation) => idOnly(await find(translation)),
  },
  {
    method: 'POST',
    path: '/templates/:id/duplicate',
    noun,
    summary: 'Copy a template',
    scope: 'templates:write',
    state: 'differs',
    differences: 'The copy has no alias.',
    async handler(translation) {
      const { name, subject, html, text, layout, required, inline_css, sample_model } =
        await find(translation)
      const copy = { name: `${name} (Copy)`.slice(0, 100), subject, html, text, layout, required, inline_css }
      const { body } = await translation.v1<View>('templates.create', { body: { ...copy, sample_model } })
      translation.reply.code(201)
      return idOnly(body)
    },
  },
  {
    method: 'DELETE',
    path: '/templates/:id',
    noun,
    summary: 'Delete a template',
    scope: 'templates:write',
    state: 'served',
    async handler(translation) {
      const { template_id } = await find(translation)
      await translation.v1('templates.delete', { params: { id_or_alias: template_id } })
      return { ...idOnly({ template_id }), deleted: true }
    },
  },
]
