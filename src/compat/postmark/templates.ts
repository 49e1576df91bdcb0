// Postmark's templates and layouts.

import type { Static } from 'typebox'
import { callerOf } from '../../api/caller.ts'
import type { LayoutView, TemplateView } from '../../api/contract/template.ts'
import { Problem } from '../../model/problem.ts'
import type { VendorCall } from '../declaration.ts'
import { findObject } from '../numbers.ts'
import { pageOf, rowsOf, rowsOfAll, rowsWhere } from '../pages.ts'
import { FieldNames, type Fields } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { findTemplate, type Whole } from './found-template.ts'
import { orMissing, shownNumber, shownNumbers } from './objects.ts'
import { PAGE, readPage } from './paging.ts'
import { CODES, PostmarkProblem } from './problem.ts'
import { serverId } from './server.ts'
import { NO_TEMPLATE } from './template-choice.ts'
import { pushTemplates } from './template-push.ts'
import { validateTemplate } from './template-validation.ts'

const noun = 'Templates'
const TYPES = ['All', 'Standard', 'Layout'] as const
const LIST = new FieldNames(...PAGE, 'templateType', 'layoutTemplate')
const TEMPLATE = new FieldNames(
  ...['Name', 'Alias', 'Subject', 'HtmlBody', 'TextBody', 'TemplateType', 'LayoutTemplate'],
)
const CONTENT = { maxBytes: 'content' } as const

/** A template or a layout as `/v1` shows it in a list. */
interface Row {
  readonly template_id?: string
  readonly layout_id?: string
  readonly alias: string | null
  readonly name: string
  readonly layout?: string | null
}

export const templateCalls: readonly VendorCall[] = [
  {
    ...{ method: 'GET', path: '/templates', noun, scope: 'templates:read' },
    summary: 'List templates and layouts',
    state: 'served',
    handler: listTemplates,
  },
  {
    ...{ method: 'GET', path: '/templates/:id', noun, scope: 'templates:read' },
    summary: 'Read a template or layout by ID or alias',
    state: 'served',
    handler: async (translation) => viewOf(translation, await findIn(translation)),
  },
  {
    ...{ method: 'POST', path: '/templates', noun, scope: 'templates:write', body: CONTENT },
    summary: 'Create a template or layout',
    state: 'differs',
    differences:
      'The language of templates is that of [templates](templates.md), which has the sections, `{{#each}}` and `../` of Postmark. A new template inlines CSS.',
    handler: createTemplate,
  },
  {
    ...{ method: 'PUT', path: '/templates/:id', noun, scope: 'templates:write', body: CONTENT },
    summary: 'Change a template or layout',
    state: 'served',
    handler: editTemplate,
  },
  {
    ...{ method: 'DELETE', path: '/templates/:id', noun, scope: 'templates:write' },
    summary: 'Delete a template or layout',
    state: 'served',
    handler: deleteTemplate,
  },
  {
    ...{ method: 'POST', path: '/templates/validate', noun, scope: 'templates:read', body: CONTENT },
    ...{ effect: 'reads' as const },
    summary: 'Check and render a draft',
    state: 'served',
    handler: validateTemplate,
  },
  {
    ...{ method: 'PUT', path: '/templates/push', noun, scope: 'templates:write' },
    summary: 'Copy templates from one server to another (account token)',
    state: 'differs',
    differences: 'A server is a domain. Both domains have to belong to the key.',
    handler: pushTemplates,
  },
]

async function listTemplates(translation: Translation): Promise<object> {
  const query = translation.query(LIST)
  const page = readPage(query, translation.reading)
  const type = query.word('templateType', TYPES) ?? 'All'
  const layout = query.text('layoutTemplate')
  const templates = rowsOf<Row>(translation, 'templates.list')
  const lists = [
    ...(type === 'Layout'
      ? []
      : [layout === undefined ? templates : rowsWhere(templates, (row) => row.layout === layout)]),
    ...(type === 'Standard' || layout !== undefined ? [] : [rowsOf<Row>(translation, 'layouts.list')]),
  ]
  const { rows, total } = await pageOf(rowsOfAll(...lists), page)
  const numbers = await shownNumbers(translation, 'template', rows.map(idOf))
  return {
    TotalCount: total,
    Templates: rows.map((row) => ({
      Active: true,
      TemplateId: numbers.get(idOf(row)),
      Name: row.name,
      Alias: row.alias,
      TemplateType: row.layout_id === undefined ? 'Standard' : 'Layout',
      LayoutTemplate: row.layout ?? null,
    })),
  }
}

const idOf = ({ template_id, layout_id }: Row): string => template_id ?? layout_id ?? ''

/** Returns the refusal of a missing template. */
const noTemplate = (named: string): Problem =>
  new PostmarkProblem('not_found', CODES.template, NO_TEMPLATE(named.slice(0, 100)))

/** Returns the template or the layout that the path names by its number or its alias. */
async function findIn(translation: Translation): Promise<Whole> {
  const named = translation.param('id')
  const { services, request } = translation
  const id = /^\d{1,15}$/.test(named)
    ? await findObject(services, callerOf(request), 'template', Number(named))
    : named
  if (id === undefined) throw noTemplate(named)
  const found = await findTemplate(translation, id)
  if (found === undefined) throw noTemplate(named)
  return found
}

/** Returns a template or a layout in Postmark's form. */
async function viewOf(translation: Translation, found: Whole): Promise<object> {
  const isLayout = found.kind === 'layouts'
  return {
    TemplateId: await shownNumber(translation, 'template', found.id),
    Name: found.name,
    Subject: isLayout ? null : found.subject,
    HtmlBody: found.html,
    TextBody: found.text,
    AssociatedServerId: await serverId(translation),
    Active: true,
    Alias: found.alias,
    TemplateType: isLayout ? 'Layout' : 'Standard',
    LayoutTemplate: isLayout ? null : found.layout,
  }
}

/** Returns a template as the answers to changes show it. */
async function headOf(translation: Translation, found: Whole): Promise<object> {
  const {
    Subject: _,
    HtmlBody: __,
    TextBody: ___,
    AssociatedServerId: ____,
    ...head
  } = (await viewOf(translation, found)) as Record<string, unknown>
  return head
}

async function createTemplate(translation: Translation): Promise<object> {
  const fields = translation.body(TEMPLATE)
  const isLayout = fields.word('TemplateType', TYPES) === 'Layout'
  const kind = isLayout ? 'layouts' : 'templates'
  const body = {
    name: fields.text('Name'),
    alias: fields.text('Alias'),
    html: fields.text('HtmlBody'),
    text: fields.text('TextBody'),
    ...(isLayout
      ? {}
      : { subject: fields.text('Subject'), layout: fields.text('LayoutTemplate'), inline_css: true }),
  }
  return saved(translation, kind, translation.v1<Saved>(`${kind}.create`, { body: withoutAbsent(body) }))
}

type Saved = Static<typeof TemplateView> & Static<typeof LayoutView>

async function saved(
  translation: Translation,
  kind: Whole['kind'],
  work: Promise<{ readonly body: Saved }>,
): Promise<object> {
  const { body } = await inTemplateFields(work)
  const id = kind === 'layouts' ? body.layout_id : body.template_id
  return headOf(translation, { ...body, kind, id } as Whole)
}

async function editTemplate(translation: Translation): Promise<object> {
  const found = await findIn(translation)
  const fields = translation.body(TEMPLATE)
  const { kind, id } = found
  const isLayout = kind === 'layouts'
  const type = fields.word('TemplateType', TYPES)
  if (type !== undefined && (type === 'Layout') !== isLayout) {
    translation.reading.wrong('TemplateType', 'conflict', 'The type of a template cannot change.')
  }
  const body = {
    name: fields.text('Name') ?? found.name,
    alias: changed(translation, fields, 'Alias', found.alias),
    html: changed(translation, fields, 'HtmlBody', found.html),
    text: changed(translation, fields, 'TextBody', found.text),
    ...(isLayout
      ? {}
      : {
          subject: changed(translation, fields, 'Subject', found.subject),
          layout: changed(translation, fields, 'LayoutTemplate', found.layout),
          required: found.required,
          inline_css: found.inline_css,
        }),
  }
  return saved(
    translation,
    kind,
    translation.v1<Saved>(`${kind}.replace`, { params: { id_or_alias: id }, body }),
  )
}

/** Returns the new value of a field: null if the request removes the value, the present one without the field. */
function changed(
  { request }: Translation,
  fields: Fields,
  name: string,
  present: string | null,
): string | null {
  const isNull = (request.body as Readonly<Record<string, unknown>>)[name] === null
  return fields.text(name) ?? (isNull && name !== 'HtmlBody' && name !== 'TextBody' ? null : present)
}

async function deleteTemplate(translation: Translation): Promise<object> {
  const found = await findIn(translation)
  const number = await shownNumber(translation, 'template', found.id)
  try {
    await orMissing(
      noTemplate(translation.param('id')),
      translation.v1(`${found.kind}.delete`, { params: { id_or_alias: found.id } }),
    )
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'conflict') throw error
    throw new PostmarkProblem('conflict', CODES.layoutInUse, error.message)
  }
  return { ErrorCode: 0, Message: `Template ${number} removed.` }
}

const PLACES: Readonly<Record<string, string>> = {
  name: 'Name',
  alias: 'Alias',
  subject: 'Subject',
  html: 'HtmlBody',
  text: 'TextBody',
  layout: 'LayoutTemplate',
}

/** Runs a change; a refusal names the fields of Postmark. */
async function inTemplateFields<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Problem) || error.errors.length === 0) throw error
    const errors = error.errors.map((one) => ({ ...one, path: PLACES[one.path] ?? one.path }))
    const [first] = errors
    const isLayout = first?.code.includes('content') === true
    const code = isLayout ? CODES.layoutPlace : CODES.templateFields
    // Clients look for the sentence of Postmark.
    const about = isLayout ? 'The layout content placeholder must be present. ' : ''
    throw new PostmarkProblem(error.code, code, `${about}${first?.path}: ${first?.message}`, { errors })
  }
}

const withoutAbsent = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
