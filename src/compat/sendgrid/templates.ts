// Templates in the form of SendGrid: each template has one version, which is active.

import type { Static } from 'typebox'
import type { TemplateList, TemplateView } from '../../api/contract/template.ts'
import { uuidOfId } from '../../lib/ids.ts'
import { Problem } from '../../model/problem.ts'
import type { VendorCall } from '../declaration.ts'
import { FieldNames, type Fields } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { dynamicId, templateName } from './template-ids.ts'

type View = Static<typeof TemplateView>
type Entry = Static<typeof TemplateList>['data'][number]

const noun = 'Templates'
const TEMPLATE = new FieldNames('name', 'generation')
const VERSION = new FieldNames(
  ...['active', 'name', 'subject', 'html_content', 'plain_content', 'generate_plain_content', 'test_data'],
  'editor',
)
const ONE_VERSION =
  'A template has one version, which is active: a new version replaces the content, and earlier contents are listed by GET /v1/templates/{id_or_alias}/versions. Only dynamic templates are created.'

/** Text of a template that has no version yet. */
const EMPTY = '{{! This template has no version yet. }}'

const hasVersion = ({ html, text }: View): boolean => html !== null || text !== EMPTY

const timeText = (time: string): string => time.slice(0, 19).replace('T', ' ')

const versionId = ({ template_id }: Pick<View, 'template_id'>): string => uuidOfId(template_id)

const versionSummary = (template: Entry) => ({
  id: versionId(template),
  template_id: dynamicId(template.template_id),
  active: 1,
  name: template.name,
  subject: template.subject ?? '',
  updated_at: timeText(template.updated_at),
  generate_plain_content: true,
  editor: 'code',
})

const versionView = (template: View) => ({
  ...versionSummary(template),
  html_content: template.html ?? '',
  plain_content: template.text ?? '',
  generate_plain_content: template.text === null,
  test_data: template.sample_model === null ? '' : JSON.stringify(template.sample_model),
})

const templateHead = (template: Entry) => ({
  id: dynamicId(template.template_id),
  name: template.name,
  generation: 'dynamic',
  updated_at: timeText(template.updated_at),
})

const templateView = (template: View): object => ({
  ...templateHead(template),
  versions: hasVersion(template) ? [versionView(template)] : [],
})

async function find(translation: Translation): Promise<View> {
  const params = { id_or_alias: templateName(translation.param('template_id')) }
  return (await translation.v1<View>('templates.get', { params })).body
}

/** Returns the template whose version is in the path. Throws `not_found`. */
async function findVersion(translation: Translation): Promise<View> {
  const template = await find(translation)
  if (hasVersion(template) && translation.param('version_id').toLowerCase() === versionId(template)) {
    return template
  }
  throw new Problem('not_found', 'The template has no version with this ID.')
}

/** Saves a template with changed fields; the other fields stay. */
async function save(translation: Translation, before: View, changes: object): Promise<View> {
  const { template_id, alias, name, subject, html, text, layout, required, inline_css, version } = before
  const { body } = await translation.v1<View>('templates.replace', {
    params: { id_or_alias: template_id },
    body: {
      ...{ alias, name, subject, html, text, layout, required, inline_css, replaces_version: version },
      ...changes,
    },
  })
  return body
}

/** Reads the fields of a version; `before` has the content that stays. */
function readVersion({ reading, request }: Translation, fields: Fields, before: View | undefined): object {
  if (fields.has('editor')) fields.word('editor', ['code', 'design'])
  if (fields.flag('active') === false) {
    reading.refuse(
      'active',
      'A template has one version, which is active; create another template for a draft.',
    )
  }
  const body = request.body as Readonly<Record<string, unknown>>
  const part = (name: string, kept: string | null): string | null =>
    fields.text(name) ?? (body?.[name] === undefined ? kept : null)
  const text = part('plain_content', before?.text ?? null)
  const isGenerated = fields.flag('generate_plain_content') ?? text === null
  return {
    ...(before === undefined || fields.text('name') === undefined ? {} : { name: fields.text('name') }),
    subject: part('subject', before?.subject ?? null),
    html: part('html_content', before?.html ?? null),
    text: isGenerated ? null : text,
    ...testDataIn({ reading }, fields),
  }
}

function testDataIn({ reading }: Pick<Translation, 'reading'>, fields: Fields): object {
  const written = fields.text('test_data')
  if (written === undefined) return {}
  try {
    const value: unknown = JSON.parse(written)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { sample_model: value }
  } catch {
    // Reported below.
  }
  reading.wrong('test_data', 'invalid_json', 'test_data is a JSON object as text.')
  return {}
}

const PAGE = new FieldNames('generations', 'page_size', 'page_token')

async function list(translation: Translation): Promise<object> {
  const query = translation.query(PAGE)
  const size = query.integer('page_size') ?? 200
  if (size < 1 || size > 200)
    translation.reading.wrong('page_size', 'invalid_value', 'page_size is 1 to 200.')
  const token = query.text('page_token')
  const generations = query.text('generations') ?? 'dynamic'
  translation.check()
  const self = translation.request.url
  if (!generations.split(',').includes('dynamic')) return { result: [], _metadata: { self, count: 0 } }
  const { body } = await translation.v1<Static<typeof TemplateList>>('templates.list', {
    query: { limit: size, ...(token === undefined ? {} : { cursor: templateName(token) }) },
  })
  const result = body.data.map((one) => ({ ...templateHead(one), versions: [versionSummary(one)] }))
  const next = body.next_cursor === null ? undefined : nextUrl(self, dynamicId(body.next_cursor))
  return { result, _metadata: { self, ...(next === undefined ? {} : { next }), count: result.length } }
}

/** Returns the URL of the next page. */
function nextUrl(self: string, token: string): string {
  const [path = '', query = ''] = self.split('?')
  const parameters = new URLSearchParams(query)
  parameters.set('page_token', token)
  return `${path}?${parameters}`
}

const templateCallsOfPath: readonly VendorCall[] = [
  {
    method: 'POST',
    path: '/v3/templates',
    noun,
    summary: 'Create a template',
    scope: 'templates:write',
    state: 'differs',
    differences: ONE_VERSION,
    async handler(translation) {
      const fields = translation.body(TEMPLATE)
      const { reading } = translation
      const name = fields.text('name')
      if (name === undefined) reading.wrong('name', 'required', 'Give the template a name.')
      if (fields.word('generation', ['legacy', 'dynamic']) === 'legacy') {
        reading.refuse('generation', 'Only templates of the generation dynamic are created.')
      }
      const { body } = await translation.v1<View>('templates.create', { body: { name, text: EMPTY } })
      translation.reply.code(201)
      return templateView(body)
    },
  },
  {
    method: 'GET',
    path: '/v3/templates',
    noun,
    summary: 'List templates',
    scope: 'templates:read',
    state: 'served',
    handler: list,
  },
  {
    method: 'GET',
    path: '/v3/templates/:template_id',
    noun,
    summary: 'Retrieve a template',
    scope: 'templates:read',
    state: 'served',
    handler: async (translation) => templateView(await find(translation)),
  },
  {
    method: 'POST',
    path: '/v3/templates/:template_id',
    noun,
    summary: 'Copy a template',
    scope: 'templates:write',
    state: 'served',
    async handler(translation) {
      const { subject, html, text, layout, required, inline_css, sample_model, name } =
        await find(translation)
      const copied = translation.body(TEMPLATE).text('name') ?? `Duplicate: ${name}`.slice(0, 100)
      const content = { subject, html, text, layout, required, inline_css, sample_model }
      const { body } = await translation.v1<View>('templates.create', { body: { name: copied, ...content } })
      translation.reply.code(201)
      return templateView(body)
    },
  },
  {
    method: 'PATCH',
    path: '/v3/templates/:template_id',
    noun,
    summary: 'Rename a template',
    scope: 'templates:write',
    state: 'served',
    async handler(translation) {
      const name = translation.body(TEMPLATE).text('name')
      if (name === undefined) translation.reading.wrong('name', 'required', 'Give the new name.')
      return templateView(await save(translation, await find(translation), { name }))
    },
  },
  {
    method: 'DELETE',
    path: '/v3/templates/:template_id',
    noun,
    summary: 'Delete a template',
    scope: 'templates:write',
    state: 'served',
    async handler(translation) {
      const { template_id } = await find(translation)
      await translation.v1('templates.delete', { params: { id_or_alias: template_id } })
      translation.reply.code(204)
      return ''
    },
  },
]

const versionCalls: readonly VendorCall[] = [
  {
    method: 'POST',
    path: '/v3/templates/:template_id/versions',
    noun,
    summary: 'Create a version of a template',
    scope: 'templates:write',
    state: 'differs',
    differences: ONE_VERSION,
    body: { maxBytes: 'content' },
    async handler(translation) {
      const changes = readVersion(translation, translation.body(VERSION), undefined)
      const saved = await save(translation, await find(translation), changes)
      translation.reply.code(201)
      return versionView(saved)
    },
  },
  {
    method: 'GET',
    path: '/v3/templates/:template_id/versions/:version_id',
    noun,
    summary: 'Retrieve the version of a template',
    scope: 'templates:read',
    state: 'served',
    handler: async (translation) => versionView(await findVersion(translation)),
  },
  {
    method: 'PATCH',
    path: '/v3/templates/:template_id/versions/:version_id',
    noun,
    summary: 'Change the version of a template',
    scope: 'templates:write',
    state: 'served',
    body: { maxBytes: 'content' },
    async handler(translation) {
      const before = await findVersion(translation)
      const changes = readVersion(translation, translation.body(VERSION), before)
      return versionView(await save(translation, before, changes))
    },
  },
  {
    method: 'POST',
    path: '/v3/templates/:template_id/versions/:version_id/activate',
    noun,
    summary: 'Activate the version of a template',
    scope: 'templates:write',
    state: 'differs',
    differences: 'Changes nothing, because the only version of a template is active.',
    handler: async (translation) => versionView(await findVersion(translation)),
  },
  {
    method: 'DELETE',
    path: '/v3/templates/:template_id/versions/:version_id',
    noun,
    summary: 'Delete the version of a template',
    scope: 'templates:write',
    state: 'served',
    async handler(translation) {
      const before = await findVersion(translation)
      await save(translation, before, { subject: null, html: null, text: EMPTY })
      translation.reply.code(204)
      return ''
    },
  },
]

export const templateCalls: readonly VendorCall[] = [...templateCallsOfPath, ...versionCalls]
