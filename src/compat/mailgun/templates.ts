// Mailgun's stored templates. The name of a template is the alias of a template of the service, and the tag of a version
// is the number of the version.

import { parseSoleMailbox } from '../../mime/read-mailboxes.ts'
import { Problem } from '../../model/problem.ts'
import type { VendorCall } from '../declaration.ts'
import { FieldNames, type Fields } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { baseUrlOf, enterDomain, objectOf, pageQuery } from './domain.ts'

const noun = 'Templates'
const reads = { noun, scope: 'templates:read' } as const
const writes = { noun, scope: 'templates:write' } as const
const FORM = { kinds: ['fields'], maxBytes: 1_048_576 } as const
const path = '/v3/:domain/templates'
const one = `${path}/:name`
const versions = `${one}/versions`
const numbers =
  'Versions are numbered, and the newest version is sent: `tag` has no effect, and a version is always active. The header `Subject` of a version becomes the subject of the template; other headers have no effect.'
const named = 'A name is a letter, then letters, digits, `.`, `-` and `_`.'

export const templateCalls: readonly VendorCall[] = [
  {
    ...{ method: 'GET', path, ...reads, summary: 'List templates', state: 'served' },
    handler: listTemplates,
  },
  {
    ...{ method: 'POST', path, ...writes, body: FORM, summary: 'Add a template' },
    ...{ state: 'differs', differences: `${named} ${numbers}` },
    handler: addTemplate,
  },
  {
    ...{ method: 'GET', path: one, ...reads, summary: 'Show a template', state: 'served' },
    async handler(translation) {
      const template = await find(translation)
      const isActive = translation.query(new FieldNames('active')).flag('active') === true
      return { template: { ...head(template), ...(isActive ? { version: versionOf(template) } : {}) } }
    },
  },
  {
    ...{
      method: 'PUT',
      path: one,
      ...writes,
      body: FORM,
      summary: 'Change the description',
      state: 'served',
    },
    async handler(translation) {
      const template = await find(translation)
      const name = bodyOf(translation).text('description') ?? template.name
      await replace(translation, { ...template, name })
      return { message: 'template has been updated', template: { name: template.alias } }
    },
  },
  {
    ...{ method: 'DELETE', path: one, ...writes, summary: 'Delete a template', state: 'served' },
    async handler(translation) {
      const template = await find(translation)
      await translation.v1('templates.delete', { params: { id_or_alias: template.template_id } })
      translation.reply.code(200)
      return { message: 'template has been deleted', template: { name: template.alias } }
    },
  },
  {
    ...{ method: 'DELETE', path, ...writes, summary: 'Delete all templates', state: 'refused' },
    differences: 'Delete templates one by one.',
  },
  {
    ...{ method: 'GET', path: versions, ...reads, summary: 'List versions' },
    ...{ state: 'differs', differences: numbers },
    handler: listVersions,
  },
  {
    ...{ method: 'POST', path: versions, ...writes, body: FORM, summary: 'Add a version' },
    ...{ state: 'differs', differences: numbers },
    handler: addVersion,
  },
  {
    ...{ method: 'GET', path: `${versions}/:tag`, ...reads, summary: 'Show a version' },
    ...{ state: 'differs', differences: numbers },
    async handler(translation) {
      const template = await find(translation)
      const version = await findVersion(translation, template)
      return { template: { ...head(template), version: versionOf({ ...template, ...version }) } }
    },
  },
  {
    ...{ method: 'PUT', path: `${versions}/:tag`, ...writes, body: FORM, summary: 'Change a version' },
    state: 'differs',
    differences: `${numbers} A change makes a new version; \`active=yes\` alone makes an old version the newest.`,
    handler: changeVersion,
  },
  {
    ...{
      method: 'DELETE',
      path: `${versions}/:tag`,
      ...writes,
      summary: 'Delete a version',
      state: 'refused',
    },
    differences: 'Versions stay as the history of their template.',
  },
]

/** A template, as `GET /v1/templates/{id_or_alias}` shows it. */
interface Template {
  readonly template_id: string
  readonly alias: string | null
  readonly name: string
  readonly subject: string | null
  readonly html: string | null
  readonly text: string | null
  readonly layout: string | null
  readonly required: readonly string[]
  readonly inline_css: boolean
  readonly version: number
  readonly created_at: string
  readonly updated_at: string
}

const FIELDS = new FieldNames(
  ...['name', 'description', 'template', 'tag', 'comment', 'headers', 'engine', 'active', 'createdBy'],
)

/** Returns the fields of a form; `engine` must be Handlebars. */
function bodyOf(translation: Translation): Fields {
  const { reading } = translation
  const fields = reading.fields(objectOf(translation), FIELDS)
  const engine = fields.text('engine')
  if (engine !== undefined && engine.toLowerCase() !== 'handlebars') {
    reading.wrong('engine', 'invalid_value', 'Templates are written in Handlebars.')
  }
  for (const name of ['tag', 'comment', 'createdBy']) if (fields.has(name)) reading.ignore(name)
  return fields
}

const absent = (): Problem => new Problem('not_found', 'template not found')

async function find(translation: Translation): Promise<Template> {
  await enterDomain(translation)
  const id_or_alias = translation.param('name').toLowerCase()
  try {
    return (await translation.v1<Template>('templates.get', { params: { id_or_alias } })).body
  } catch (error) {
    throw error instanceof Problem && error.code === 'not_found' ? absent() : error
  }
}

async function findVersion(
  translation: Translation,
  { template_id }: Template,
): Promise<Pick<Template, 'version' | 'subject' | 'html' | 'text' | 'created_at'>> {
  const version = translation.param('tag')
  if (!/^[1-9]\d{0,8}$/.test(version)) throw new Problem('not_found', 'version not found')
  const params = { id_or_alias: template_id, version }
  return (await translation.v1<Template>('templates.versions.get', { params })).body
}

const LIST = new FieldNames('limit', 'page', 'p', 'active')
const END = 'end'

async function listTemplates(translation: Translation): Promise<object> {
  const { domainName } = await enterDomain(translation)
  const fields = pageQuery(translation, LIST)
  const limit = Math.min(Math.max(fields.integer('limit') ?? 10, 1), 100)
  const cursor = fields.text('page') === 'next' ? fields.text('p') : undefined
  const query = { limit, ...(cursor === undefined ? {} : { cursor }) }
  const { data, next_cursor } =
    cursor === END
      ? { data: [], next_cursor: null }
      : (await translation.v1<Page<Template>>('templates.list', { query })).body
  const url = `${baseUrlOf(translation.request)}/v3/${domainName}/templates`
  return { items: data.map(head), paging: pagingOf(url, limit, next_cursor) }
}

interface Page<Row> {
  readonly data: readonly Row[]
  readonly next_cursor: string | null
}

function pagingOf(url: string, limit: number, next: string | null): object {
  const page = (name: string, p: string): string =>
    `${url}?${new URLSearchParams({ page: name, p, limit: String(limit) })}`
  return {
    ...{ first: page('first', ''), next: page('next', next ?? END) },
    ...{ previous: page('previous', ''), last: page('last', '') },
  }
}

async function addTemplate(translation: Translation): Promise<object> {
  await enterDomain(translation)
  const fields = bodyOf(translation)
  const name = fields.text('name')?.toLowerCase()
  if (name === undefined) translation.reading.wrong('name', 'required', 'Give the name of the template.')
  const body = {
    alias: name,
    name: fields.text('description') ?? name,
    ...contentOf(translation, fields),
  }
  const { body: template } = await translation.v1<Template>('templates.create', { body })
  translation.reply.code(200)
  return {
    message: 'template has been stored',
    template: {
      ...head(template),
      ...(fields.has('template') ? { version: versionOf(template) } : {}),
    },
  }
}

/** Returns the parts of a template that a form gives. */
function contentOf(translation: Translation, fields: Fields): { html?: string; subject?: string } {
  const html = fields.text('template')
  const headers = headersOf(translation, fields)
  return {
    ...(html === undefined ? {} : { html: inOurLanguage(html) }),
    ...(headers.subject === undefined ? {} : { subject: inOurLanguage(headers.subject) }),
  }
}

function headersOf(translation: Translation, fields: Fields): { subject?: string } {
  const { reading } = translation
  const text = fields.text('headers')
  if (text === undefined) return {}
  const found: { subject?: string } = {}
  for (const [name, value] of Object.entries(parsed(text))) {
    if (name.toLowerCase() === 'subject' && typeof value === 'string') found.subject = value
    else if (name.toLowerCase() !== 'from' || parseSoleMailbox(String(value)) === undefined) {
      reading.ignore(`headers.${name}`)
    } else reading.ignore('headers.From')
  }
  return found
}

function parsed(text: string): object {
  try {
    return Object(JSON.parse(text)) as object
  } catch {
    return {}
  }
}

/** Matches the helper `equal`, which the language of the service writes as a condition. */
const EQUAL = /\{\{(~?)#equal\s+([^{}]+?)\s*(~?)\}\}/g

/** Returns a template of Mailgun in the language of the service. */
const inOurLanguage = (template: string): string =>
  template
    .replace(
      EQUAL,
      (_, before: string, values: string, after: string) => `{{${before}#if (equals ${values})${after}}}`,
    )
    .replace(/\{\{(~?)\/equal(~?)\}\}/g, '{{$1/if$2}}')

async function replace(translation: Translation, template: Template): Promise<Template> {
  const { alias, name, subject, html, text, layout, required, inline_css } = template
  const body = { alias, name, subject, html, text, layout, required, inline_css }
  const params = { id_or_alias: template.template_id }
  return (await translation.v1<Template>('templates.replace', { params, body })).body
}

async function listVersions(translation: Translation): Promise<object> {
  const template = await find(translation)
  const params = { id_or_alias: template.template_id }
  const { body } = await translation.v1<Page<{ readonly version: number; readonly created_at: string }>>(
    'templates.versions.list',
    { params, query: { limit: 200 } },
  )
  const url = `${baseUrlOf(translation.request)}/v3/${translation.param('domain')}/templates/${template.alias}/versions`
  return {
    template: {
      ...head(template),
      versions: body.data.map(({ version, created_at }) => ({
        ...{ id: `${template.template_id}.${version}`, tag: String(version), createdAt: created_at },
        ...{ engine: 'handlebars', mjml: '', comment: '', active: version === template.version },
      })),
    },
    paging: pagingOf(url, 200, null),
  }
}

async function addVersion(translation: Translation): Promise<object> {
  const template = await find(translation)
  const fields = bodyOf(translation)
  if (!fields.has('template')) translation.reading.wrong('template', 'required', 'Give the template.')
  if (fields.flag('active') !== true) {
    translation.reading.refuse('active', 'A new version is active at once; give active=yes.')
  }
  const changed = await replace(translation, { ...template, ...contentOf(translation, fields) })
  return {
    message: 'new version of the template has been stored',
    template: { ...head(changed), version: versionOf(changed) },
  }
}

async function changeVersion(translation: Translation): Promise<object> {
  const template = await find(translation)
  const version = await findVersion(translation, template)
  const fields = bodyOf(translation)
  const { subject, html, text } = version
  const content = contentOf(translation, fields)
  const isCurrent = version.version === template.version && Object.keys(content).length === 0
  if (!isCurrent && version.version !== template.version && fields.flag('active') !== true) {
    translation.reading.refuse('active', 'The changed version is active at once; give active=yes.')
  }
  translation.check()
  const changed = isCurrent
    ? template
    : await replace(translation, { ...template, ...{ subject, html, text }, ...content })
  return {
    message: 'version has been updated',
    template: { name: template.alias, version: { tag: String(changed.version) } },
  }
}

const head = ({ template_id, alias, name, created_at }: Template): object => ({
  ...{ name: alias ?? template_id, description: name, createdAt: created_at, createdBy: '', id: template_id },
})

const versionOf = ({ template_id, version, html, subject, updated_at }: Template): object => ({
  ...{ id: `${template_id}.${version}`, tag: String(version), template: html ?? '', engine: 'handlebars' },
  ...{ mjml: '', comment: '', active: true, createdAt: updated_at },
  headers: subject === null ? {} : { Subject: subject },
})
