// The content of a bulk: one message for all rows, rendered with the model of each row.

import { parseTime } from '../lib/rfc3339.ts'
import { parseWritten } from '../lib/written-numbers.ts'
import type { BulkMessage, BulkRow } from '../model/bulk.ts'
import { ownMessageId } from '../model/message.ts'
import type { TemplateOrigin } from '../model/message-origin.ts'
import { type FieldProblem, invalidFields, Problem } from '../model/problem.ts'
import type { SendRequest } from '../model/send-request.ts'
import { DEFAULT_STREAM } from '../model/stream.ts'
import { DeltaBase } from '../store/messages/delta.ts'
import type { Sender } from '../submission/authorize.ts'
import { atField, namedTemplate, namesTemplate } from '../submission/render-request.ts'
import type { Submission } from '../submission/submit.ts'
import { isRendered, type Rendered } from '../templates/render.ts'
import {
  isSnapshot,
  originOfSnapshot,
  type TemplateSnapshot,
  type Templates,
} from '../templates/templates.ts'
import type { TemplateVariable } from '../templates/variables.ts'
import { literalFields } from './literal-content.ts'

/** Content stored with a bulk, and the summary that lists show. */
export interface StoredBulkContent {
  readonly source: Buffer
  readonly base: Buffer
  readonly stream: string
  readonly templateId: string | null
  readonly subject: string | null
}

/** The template or the texts, and the other fields, from which the message of each row is rendered. */
interface Source {
  /** Fields that all rows share, except the attachments, which are part of the base. */
  readonly message: Omit<BulkMessage, TextField | 'attachments'>
  readonly snapshot: TemplateSnapshot
  /** Names of the template and its layout; undefined if the message has its own texts. */
  readonly origin?: TemplateOrigin | undefined
  /**
   * Set for literal content, whose own texts are not rendered: the subject that replaces the subject of the template, if
   * the message has one.
   */
  readonly literal?: { readonly subject?: string | undefined }
  /** Length in bytes of the prefix that the base has in common with the contents of all rows. */
  readonly common: number
}

type TextField = 'subject' | 'html' | 'text' | 'template_id' | 'template_alias' | 'layout'

/** Prepares contents, and opens stored contents. */
export class BulkContents {
  readonly #templates: Templates
  readonly #submission: Submission

  constructor(templates: Templates, submission: Submission) {
    this.#templates = templates
    this.#submission = submission
  }

  /**
   * Checks the message of a bulk like any send request, and returns the content to store: the current template, and
   * the message with sample values as the base of all contents. Throws `Problem` if the content is refused.
   * @param id ID of the bulk, under which its template is cached
   * @param shapeProblems problems of the message's shape; any such problem refuses the message
   */
  async prepare(
    sender: Sender,
    id: string,
    given: BulkMessage,
    shapeProblems: readonly FieldProblem[],
  ): Promise<StoredBulkContent> {
    if (shapeProblems.length > 0) throw await this.#refusalOf(sender, given, shapeProblems)
    if (given.literal !== undefined) return this.#prepareLiteral(sender, id, given, given.literal)
    const { subject, html, text, template_id, template_alias, layout, attachments, ...message } = given
    const { snapshot, origin } = await this.#snapshotOf(sender, id, given)
    const sample = await this.#sampleOf(sender, snapshot)
    const { template_model: _, ...shared } = message
    const request = {
      ...shared,
      ...sample,
      to: anybodyOf(sender),
      ...(attachments === undefined ? {} : { attachments }),
    } as SendRequest
    const base = await this.#submission.tryRequest(sender, request)
    return storedContent({ message, snapshot, origin }, base)
  }

  /**
   * Checks a message with literal content by its first row. The base has the texts with their placeholders, so the base
   * contains no data of a recipient.
   */
  async #prepareLiteral(
    sender: Sender,
    id: string,
    { literal: _, ...given }: BulkMessage,
    first: BulkRow,
  ): Promise<StoredBulkContent> {
    const { subject, html, text, template_id, template_alias, layout, attachments, ...own } = given
    // The answer to the request names one Message-ID, which all messages have.
    const message = { ...own, message_id_header: ownMessageId(id, sender.domainName) }
    const isTemplate = namesTemplate(given as SendRequest)
    const { subject: _subject, ...withoutSubject } = given
    const { snapshot, origin } = await this.#snapshotOf(sender, id, isTemplate ? withoutSubject : given)
    const source = { message, snapshot, origin, literal: isTemplate ? { subject } : {} }
    const { accountId } = sender
    const sample = await rowRequests(this.#templates, accountId, source)(first, this.#submission.now)
    const { send_at } = given
    const files = attachments === undefined ? {} : { attachments }
    const shared = { ...message, ...files }
    const checked = { ...sample, ...files, ...(send_at === undefined ? {} : { send_at }) }
    const { attachments: fetched } = await this.#submission.tryRequest(sender, checked)
    const texts = isTemplate ? await this.#sampleOf(sender, snapshot) : textsOf(snapshot.template as Rendered)
    const { template_model: _model, ...fields } = shared
    return storedContent(source, {
      ...fields,
      ...texts,
      ...(fetched === undefined ? {} : { attachments: fetched }),
      to: anybodyOf(sender),
    } as SendRequest)
  }

  /** Returns the variables of the content of a bulk. Throws `validation_failed` if the template does not exist. */
  async variablesOf(sender: Sender, id: string, given: BulkMessage): Promise<readonly TemplateVariable[]> {
    const { snapshot } = await this.#snapshotOf(sender, id, given)
    return this.#templates.variables({ accountId: sender.accountId }, snapshot)
  }

  /**
   * Returns a refusal with the problems of the shape, and with all problems of the message that do not depend on rows.
   */
  async #refusalOf(
    sender: Sender,
    given: BulkMessage,
    shapeProblems: readonly FieldProblem[],
  ): Promise<Problem> {
    try {
      await this.#submission.tryRequest(
        sender,
        { ...given, to: anybodyOf(sender) } as SendRequest,
        shapeProblems,
      )
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (error.code !== 'validation_failed') return error
      const isOfRows = ({ code, path }: FieldProblem): boolean =>
        code === 'required' && path.startsWith('template_model.')
      return invalidFields(error.errors.filter((problem) => !isOfRows(problem)))
    }
    return invalidFields(shapeProblems)
  }

  /** Opens stored content for the rendering of rows. */
  open(
    sender: Pick<Sender, 'accountId'>,
    stored: { source: Uint8Array; base: Uint8Array },
  ): OpenedBulkContent {
    return new OpenedBulkContent(this.#templates, sender.accountId, stored)
  }

  /** Returns the source of the messages of all rows: a template and its layout, or the texts of the bulk's message. */
  async #snapshotOf(
    sender: Sender,
    id: string,
    given: BulkMessage,
  ): Promise<Pick<Source, 'snapshot' | 'origin'>> {
    const { subject = null, html = null, text = null } = given
    if (!namesTemplate(given as SendRequest)) {
      const template = {
        ...{ id, version: 1, subject, html, text },
        ...{ layoutId: null, required: [], inlineCss: false },
      }
      return { snapshot: { template, layout: undefined } }
    }
    const { reference, path, problems } = namedTemplate(given as SendRequest)
    if (reference === undefined || problems.length > 0) throw invalidFields(problems)
    const found = await this.#templates.find(sender, { template: reference, layout: given.layout })
    if (!isSnapshot(found)) throw invalidFields(atField(path, found))
    const template = { ...found.template, id, version: 1, ...(subject === null ? {} : { subject }) }
    return { snapshot: { ...found, template }, origin: originOfSnapshot(found) }
  }

  /** Returns the texts with sample values. Throws `validation_failed` for an invalid template. */
  async #sampleOf(
    { accountId }: Sender,
    snapshot: TemplateSnapshot,
  ): Promise<Pick<SendRequest, 'html' | 'text'> & { readonly subject?: string }> {
    const { template } = snapshot
    if (template.html === null && template.text === null) return textsOf(template as Rendered)
    const sample = await this.#templates.renderSample({ accountId }, snapshot)
    if (isRendered(sample)) return textsOf(sample)
    const wrong = sample.filter(({ line }) => line !== undefined)
    if (wrong.length > 0) throw invalidFields(wrong)
    // A failure with the sample values does not mean that rendering fails with the values of the rows.
    return textsOf({ ...(template as Rendered), subject: template.subject ? '-' : null })
  }
}

/** Returns the content to store; the base begins with the attachments, which all rows share. */
function storedContent(source: Omit<Source, 'common'>, base: SendRequest): StoredBulkContent {
  const { attachments: files = [], ...rest } = base
  const beginning = files.length === 0 ? '{' : `{"attachments":${JSON.stringify(files)},`
  const { message, snapshot, origin, literal } = source
  const whole: Source = { ...source, common: Buffer.byteLength(beginning) }
  return {
    source: Buffer.from(JSON.stringify(whole)),
    base: Buffer.from(beginning + JSON.stringify(rest).slice(1)),
    stream: message.stream ?? DEFAULT_STREAM,
    templateId: origin?.template_id ?? null,
    subject: literal?.subject ?? snapshot.template.subject ?? null,
  }
}

const anybodyOf = ({ domainName }: Sender) => [{ email: `postmaster@${domainName}` }]

const textsOf = ({ subject, html, text }: Rendered) => ({
  ...(subject ? { subject } : {}),
  ...(html ? { html } : {}),
  ...(text ? { text } : {}),
})

/** The content of a bulk that is being processed. */
export class OpenedBulkContent {
  readonly base: DeltaBase
  readonly common: number
  /** Template of all rows; undefined if the message of the bulk contains the texts itself. */
  readonly template: TemplateOrigin | undefined
  /** Returns the send request of a row, without attachments. Throws `validation_failed` for invalid values. */
  readonly requestOf: RowRequests

  constructor(
    templates: Templates,
    accountId: string,
    { source: stored, base }: { source: Uint8Array; base: Uint8Array },
  ) {
    const source = parseWritten(Buffer.from(stored).toString('utf8')) as Source
    this.common = source.common
    this.base = new DeltaBase(Buffer.from(base), this.common)
    this.template = source.origin
    this.requestOf = rowRequests(templates, accountId, source)
  }
}

/** Makes the send request of a row at a time in milliseconds. */
type RowRequests = (row: BulkRow, now: number) => Promise<SendRequest>

const rowRequests = (templates: Templates, accountId: string, source: Omit<Source, 'common'>): RowRequests =>
  source.literal === undefined
    ? templateRows(templates, accountId, source)
    : literalRows(templates, accountId, source)

function templateRows(
  templates: Templates,
  accountId: string,
  { message, snapshot }: Pick<Source, 'message' | 'snapshot'>,
): RowRequests {
  const { template_model: model, metadata, send_at, ...shared } = message
  return async (row, now) => {
    const values = { ...model, ...row.template_model }
    const rendered = await renderedTexts(templates, accountId, snapshot, values)
    const ownMetadata = { ...metadata, ...row.metadata }
    return {
      ...shared,
      to: [row.to],
      ...rendered,
      ...(Object.keys(ownMetadata).length === 0 ? {} : { metadata: ownMetadata }),
      ...sendAt(send_at, now),
    } as SendRequest
  }
}

function literalRows(
  templates: Templates,
  accountId: string,
  { message, snapshot, origin, literal }: Omit<Source, 'common'>,
): RowRequests {
  const { template_model, headers, reply_to, metadata, send_at, ...shared } = message
  const subject = literal?.subject
  const texts = origin === undefined ? textsOf(snapshot.template as Rendered) : { subject }
  const given = Object.entries({ template_model, headers, reply_to, metadata, ...texts })
  const fill = literalFields(Object.fromEntries(given.filter(([, value]) => value !== undefined)))
  return async (row, now) => {
    const { template_model: model = {}, ...fields } = fill(row)
    const rendered = origin === undefined ? {} : await renderedTexts(templates, accountId, snapshot, model)
    return { ...shared, to: [row.to], ...rendered, ...fields, ...sendAt(send_at, now) } as SendRequest
  }
}

async function renderedTexts(
  templates: Templates,
  accountId: string,
  snapshot: TemplateSnapshot,
  model: object,
): Promise<ReturnType<typeof textsOf>> {
  const rendered = await templates.renderSnapshot({ accountId, waits: true }, snapshot, model)
  if (!isRendered(rendered)) throw invalidFields(rendered)
  return textsOf(rendered)
}

/** Returns the scheduled time, unless the time has passed while earlier rows were accepted. */
const sendAt = (send_at: string | undefined, now: number): Pick<SendRequest, 'send_at'> =>
  send_at !== undefined && (parseTime(send_at) ?? 0) > now ? { send_at } : {}
