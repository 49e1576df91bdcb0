// Versions of templates and layouts: every save stores a version, and only the newest versions are kept.

import type { Kysely } from 'kysely'
import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import type { Owner } from '../messages/owner.ts'
import { markWorkspaceChanged } from '../node/installation.ts'

export type TemplateVersion = Tables['template_versions']

/** Sample values for previews of a template, as JSON; null for no values, undefined to keep the stored values. */
export interface SampleModel {
  readonly sample_model?: string | null | undefined
}

/** A page of templates or layouts: those with smaller IDs than `cursor` and, if a name is given, with this name. */
export interface NamedPage {
  readonly limit: number
  readonly cursor?: string | undefined
  readonly name?: string | undefined
}

/** How a template or layout is saved. */
export interface Save {
  readonly isNew: boolean
  /** Version on which the edit is based, which must be the stored version; undefined to replace any stored version. */
  readonly replaces?: number | undefined
  readonly savedBy: string
}

/** Reason why a template or layout is not saved. */
export type SaveRefusal = 'alias_taken' | 'not_found' | 'too_many' | 'overtaken'

type SavedTable = 'templates' | 'layouts'

/** Columns that templates and layouts have in common. */
type SavedRow = Pick<
  Tables[SavedTable],
  'id' | 'account_id' | 'domain_id' | 'alias' | 'version' | 'sample_model' | 'created_at' | 'updated_at'
>

const savedIn = (db: Database): Kysely<Record<SavedTable, SavedRow>> =>
  db as unknown as Kysely<Record<SavedTable, SavedRow>>

/**
 * Returns the stored row that a save replaces, or the reason why the save is refused; `before` is undefined for a new
 * row.
 * @param find returns the row of the owner with an alias or an ID
 * @param most maximum number of rows of a domain
 */
export async function findReplaced<Row extends { readonly id: string; readonly version: number }>(
  db: Database,
  table: SavedTable,
  { id, alias, domain_id: domainId }: Pick<SavedRow, 'id' | 'alias' | 'domain_id'>,
  { isNew, replaces }: Save,
  find: (reference: string) => Promise<Row | undefined>,
  most: number,
): Promise<{ readonly before: Row | undefined } | { readonly refusal: SaveRefusal }> {
  const same = alias === null ? undefined : await find(alias)
  if (same !== undefined && same.id !== id) return { refusal: 'alias_taken' }
  const before = await find(id)
  if (!isNew && before === undefined) return { refusal: 'not_found' }
  if (replaces !== undefined && before?.version !== replaces) return { refusal: 'overtaken' }
  if (isNew && (await countSaved(db, table, domainId)) >= most) return { refusal: 'too_many' }
  return { before }
}

async function countSaved(db: Database, table: SavedTable, domainId: string): Promise<number> {
  const { count } = await savedIn(db)
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('domain_id', '=', domainId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Returns the columns of a saved row that follow from the row that it replaces. */
export const columnsAfter = (
  before: Pick<SavedRow, 'version' | 'sample_model' | 'created_at'> | undefined,
  { sample_model, created_at }: Pick<SavedRow, 'created_at'> & SampleModel,
): Pick<SavedRow, 'version' | 'sample_model' | 'created_at'> => ({
  version: (before?.version ?? 0) + 1,
  sample_model: sample_model === undefined ? (before?.sample_model ?? null) : sample_model,
  created_at: before?.created_at ?? created_at,
})

/** Stores a saved row, which is a new row if its version is 1, and the content of the version as JSON. */
export async function keepSaved(
  db: Database,
  table: SavedTable,
  saved: SavedRow,
  savedBy: string,
  snapshot: object,
): Promise<void> {
  const { id, account_id, domain_id, created_at: _, ...changed } = saved
  if (saved.version === 1) await insertRows(db, table, [saved as Tables[SavedTable]])
  else {
    await savedIn(db)
      .updateTable(table)
      .set(changed)
      .where('domain_id', '=', domain_id)
      .where('id', '=', id)
      .execute()
  }
  await keepVersion(db, {
    ...{ template_id: id, version: saved.version, account_id, domain_id, saved_by: savedBy },
    ...{ snapshot: JSON.stringify(snapshot), created_at: saved.updated_at },
  })
  await markWorkspaceChanged(db, saved.updated_at)
}

/** A template or layout to delete; `seen` is the only version to delete, or undefined for any version. */
export interface DeleteTemplate extends Owner {
  readonly id: string
  readonly seen?: number | undefined
  readonly now: number
}

/** Result of deleting a template or layout; `usedBy` names templates that use the layout. */
export type DeletedTemplate =
  | 'deleted'
  | 'not_found'
  | 'other_version'
  | { readonly usedBy: readonly string[] }

/** Returns why a template or layout is not deleted; undefined if it may be deleted. */
export function keepsTemplate(
  found: { readonly version: number } | undefined,
  seen: number | undefined,
): 'not_found' | 'other_version' | undefined {
  if (found === undefined) return 'not_found'
  return seen === undefined || found.version === seen ? undefined : 'other_version'
}

/** Maximum number of versions that are kept of a template or layout. */
export const VERSIONS_KEPT = 100

/** Stores a version, and removes the versions beyond the maximum. */
async function keepVersion(db: Database, version: TemplateVersion): Promise<void> {
  await insertRows(db, 'template_versions', [version])
  await db
    .deleteFrom('template_versions')
    .where('template_id', '=', version.template_id)
    .where('version', '<=', version.version - VERSIONS_KEPT)
    .execute()
}

/** Removes all versions of a deleted template or layout. */
export async function forgetVersions(db: Database, templateId: string): Promise<void> {
  await db.deleteFrom('template_versions').where('template_id', '=', templateId).execute()
}

/** Returns up to `limit` versions, newest first; with `before`, only versions with smaller numbers. */
export function listVersions(
  read: Read,
  { accountId, domainId }: Owner,
  templateId: string,
  limit: number,
  before?: number,
): Promise<TemplateVersion[]> {
  let query = read
    .selectFrom('template_versions')
    .selectAll()
    .where('template_id', '=', templateId)
    .where('domain_id', '=', domainId)
    .where('account_id', '=', accountId)
    .orderBy('version', 'desc')
    .limit(limit)
  if (before !== undefined) query = query.where('version', '<', before)
  return query.execute()
}

export const findVersion = (
  read: Read,
  { accountId, domainId }: Owner,
  templateId: string,
  version: number,
): Promise<TemplateVersion | undefined> =>
  read
    .selectFrom('template_versions')
    .selectAll()
    .where('template_id', '=', templateId)
    .where('version', '=', version)
    .where('domain_id', '=', domainId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
