// Templates of a domain: saves, deletes and reads templates.

import { isId } from '../../lib/ids.ts'
import { type Database, legalText, type Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import type { Owner } from '../messages/owner.ts'
import { markWorkspaceChanged } from '../node/installation.ts'
import { findLayout } from './layouts.ts'
import {
  type DeletedTemplate,
  type DeleteTemplate,
  forgetVersions,
  keepsTemplate,
  keepVersion,
  type NamedPage,
  type SampleModel,
} from './template-versions.ts'
import { lockWorkspace } from './workspace-lock.ts'

type TemplateRow = Tables['templates']

/** A template, with the alias or ID of its layout. */
export interface Template extends TemplateRow {
  /** Alias of the layout, or the ID of a layout without an alias; null if the template has no layout. */
  readonly layout: string | null
}

/** Maximum number of templates of a domain. */
export const MAX_TEMPLATES = 2_000

/** A template to save; the store sets the version and the ID of the layout. */
export interface SaveTemplate {
  readonly template: Omit<TemplateRow, 'version' | 'layout_id' | 'sample_model'> & SampleModel
  /** Alias or ID of the layout. */
  readonly layout: string | null
  readonly isNew: boolean
  /** Version on which the edit is based, which must be the stored version; undefined to replace any stored version. */
  readonly replaces?: number | undefined
  readonly savedBy: string
}

export type SavedTemplate =
  | { readonly kind: 'saved'; readonly template: Template }
  | { readonly kind: 'alias_taken' | 'not_found' | 'layout_not_found' | 'too_many' | 'overtaken' }

/** Creates or replaces templates, and stores each saved version. */
export async function saveTemplate(db: Database, items: readonly SaveTemplate[]): Promise<SavedTemplate[]> {
  const results: SavedTemplate[] = []
  for (const item of items) results.push(await save(db, item))
  return results
}
saveTemplate.auditTarget = ({ template }: { readonly template: { readonly id: string } }): string =>
  template.id

async function save(
  db: Database,
  { template, layout, isNew, replaces, savedBy }: SaveTemplate,
): Promise<SavedTemplate> {
  const { id, account_id, domain_id, alias } = template
  await lockWorkspace(db, domain_id)
  const owner = { accountId: account_id, domainId: domain_id }
  const same = alias === null ? undefined : await findTemplate(db, owner, alias)
  if (same !== undefined && same.id !== id) return { kind: 'alias_taken' }
  const before = await findTemplate(db, owner, id)
  if (!isNew && before === undefined) return { kind: 'not_found' }
  if (replaces !== undefined && before?.version !== replaces) return { kind: 'overtaken' }
  if (isNew && (await isFull(db, domain_id))) return { kind: 'too_many' }
  const around = layout === null ? undefined : await findLayout(db, owner, layout)
  if (layout !== null && around === undefined) return { kind: 'layout_not_found' }
  const saved: TemplateRow = {
    ...template,
    layout_id: around?.id ?? null,
    version: (before?.version ?? 0) + 1,
    sample_model:
      template.sample_model === undefined ? (before?.sample_model ?? null) : template.sample_model,
    created_at: before?.created_at ?? template.created_at,
  }
  if (before === undefined) await insertRows(db, 'templates', [saved])
  else {
    const { id: _id, account_id: _account, domain_id: _domain, created_at: _created, ...changed } = saved
    await db
      .updateTable('templates')
      .set(changed)
      .where('domain_id', '=', domain_id)
      .where('id', '=', id)
      .execute()
  }
  const called = around === undefined ? null : (around.alias ?? around.id)
  const { name, subject, html, text, required_paths, inline_css, sample_model } = saved
  await keepVersion(db, {
    template_id: id,
    version: saved.version,
    account_id,
    domain_id,
    saved_by: savedBy,
    snapshot: JSON.stringify({
      alias,
      name,
      subject,
      html,
      text,
      layout_id: saved.layout_id,
      layout: called,
      required_paths,
      inline_css,
      sample_model,
    }),
    created_at: saved.updated_at,
  })
  await markWorkspaceChanged(db, saved.updated_at)
  return { kind: 'saved', template: { ...saved, layout: called } }
}

async function isFull(db: Database, domainId: string): Promise<boolean> {
  const { count } = await db
    .selectFrom('templates')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('domain_id', '=', domainId)
    .executeTakeFirstOrThrow()
  return count >= MAX_TEMPLATES
}

/** Deletes templates. */
export async function deleteTemplate(
  db: Database,
  items: readonly DeleteTemplate[],
): Promise<DeletedTemplate[]> {
  const results: DeletedTemplate[] = []
  for (const { accountId, domainId, id, seen, now } of items) {
    await lockWorkspace(db, domainId)
    const kept = keepsTemplate(await findTemplate(db, { accountId, domainId }, id), seen)
    if (kept === undefined) {
      await db.deleteFrom('templates').where('domain_id', '=', domainId).where('id', '=', id).execute()
      await forgetVersions(db, id)
      await markWorkspaceChanged(db, now)
    }
    results.push(kept ?? 'deleted')
  }
  return results
}
deleteTemplate.auditTarget = ({ id }: { readonly id: string }): string => id

const ofOwner = (read: Read | Database, { accountId, domainId }: Owner) =>
  (read as Read)
    .selectFrom('templates')
    .leftJoin('layouts', (join) =>
      join
        .onRef('layouts.domain_id', '=', 'templates.domain_id')
        .onRef('layouts.id', '=', 'templates.layout_id'),
    )
    .selectAll('templates')
    .select(({ fn, ref }) => fn.coalesce(ref('layouts.alias'), ref('layouts.id')).as('layout'))
    .where('templates.domain_id', '=', domainId)
    .where('templates.account_id', '=', accountId)

/** Returns the template with this ID or alias, if the owner has such a template. */
export const findTemplate = (
  read: Read | Database,
  owner: Owner,
  reference: string,
): Promise<Template | undefined> =>
  ofOwner(read, owner)
    .where(isId('tpl', reference) ? 'templates.id' : 'templates.alias', '=', legalText(reference))
    .executeTakeFirst()

/** Returns a page of the templates, newest first. */
export function listTemplates(
  read: Read,
  owner: Owner,
  { limit, cursor, name }: NamedPage,
): Promise<Template[]> {
  let query = ofOwner(read, owner).orderBy('templates.id', 'desc').limit(limit)
  if (cursor !== undefined) query = query.where('templates.id', '<', cursor)
  if (name !== undefined) query = query.where('templates.name', '=', legalText(name))
  return query.execute()
}
