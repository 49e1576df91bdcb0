// Versions of templates and layouts: every save stores a version, and only the newest versions are kept.

import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import type { Owner } from '../messages/owner.ts'

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
export async function keepVersion(db: Database, version: TemplateVersion): Promise<void> {
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
