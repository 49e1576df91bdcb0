// Layouts of a domain, each a common frame around the content of templates.

import { isId } from '../../lib/ids.ts'
import { type Database, legalText, type Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import type { Owner } from '../messages/owner.ts'
import { markWorkspaceChanged } from '../node/installation.ts'
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

export type Layout = Tables['layouts']

/** Maximum number of layouts of a domain. */
export const MAX_LAYOUTS = 200

/** A layout to save; the store sets the version. */
export interface SaveLayout {
  readonly layout: Omit<Layout, 'version' | 'sample_model'> & SampleModel
  readonly isNew: boolean
  /** Version on which the edit is based, which must be the stored version; undefined to replace any stored version. */
  readonly replaces?: number | undefined
  readonly savedBy: string
}

export type SavedLayout =
  | { readonly kind: 'saved'; readonly layout: Layout }
  | { readonly kind: 'alias_taken' | 'not_found' | 'too_many' | 'overtaken' }

/** Creates or replaces layouts, and stores each saved version. */
export async function saveLayout(db: Database, items: readonly SaveLayout[]): Promise<SavedLayout[]> {
  const results: SavedLayout[] = []
  for (const item of items) results.push(await save(db, item))
  return results
}
saveLayout.auditTarget = ({ layout }: { readonly layout: { readonly id: string } }): string => layout.id

async function save(db: Database, { layout, isNew, replaces, savedBy }: SaveLayout): Promise<SavedLayout> {
  const { id, account_id, domain_id, alias, name, html, text, updated_at } = layout
  await lockWorkspace(db, domain_id)
  const same =
    alias === null ? undefined : await ofDomain(db, domain_id).where('alias', '=', alias).executeTakeFirst()
  if (same !== undefined && same.id !== id) return { kind: 'alias_taken' }
  const before = await ofDomain(db, domain_id)
    .where('id', '=', id)
    .where('account_id', '=', account_id)
    .executeTakeFirst()
  if (!isNew && before === undefined) return { kind: 'not_found' }
  if (replaces !== undefined && before?.version !== replaces) return { kind: 'overtaken' }
  if (isNew && (await isFull(db, domain_id))) return { kind: 'too_many' }
  const saved: Layout = {
    ...layout,
    version: (before?.version ?? 0) + 1,
    sample_model: layout.sample_model === undefined ? (before?.sample_model ?? null) : layout.sample_model,
    created_at: before?.created_at ?? layout.created_at,
  }
  if (before === undefined) await insertRows(db, 'layouts', [saved])
  else {
    const { id: _id, account_id: _account, domain_id: _domain, created_at: _created, ...changed } = saved
    await db
      .updateTable('layouts')
      .set(changed)
      .where('domain_id', '=', domain_id)
      .where('id', '=', id)
      .execute()
  }
  await keepVersion(db, {
    template_id: id,
    version: saved.version,
    account_id,
    domain_id,
    saved_by: savedBy,
    snapshot: JSON.stringify({ alias, name, html, text, sample_model: saved.sample_model }),
    created_at: updated_at,
  })
  await markWorkspaceChanged(db, updated_at)
  return { kind: 'saved', layout: saved }
}

const ofDomain = (db: Database | Read, domainId: string) =>
  (db as Read).selectFrom('layouts').selectAll().where('domain_id', '=', domainId)

async function isFull(db: Database, domainId: string): Promise<boolean> {
  const { count } = await db
    .selectFrom('layouts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('domain_id', '=', domainId)
    .executeTakeFirstOrThrow()
  return count >= MAX_LAYOUTS
}

/** Deletes layouts that no template uses; the result names up to ten templates if a layout is in use. */
export async function deleteLayout(
  db: Database,
  items: readonly DeleteTemplate[],
): Promise<DeletedTemplate[]> {
  const results: DeletedTemplate[] = []
  for (const item of items) results.push(await deleteOne(db, item))
  return results
}
deleteLayout.auditTarget = ({ id }: { readonly id: string }): string => id

async function deleteOne(
  db: Database,
  { accountId, domainId, id, seen, now }: DeleteTemplate,
): Promise<DeletedTemplate> {
  await lockWorkspace(db, domainId)
  const kept = keepsTemplate(await findLayout(db, { accountId, domainId }, id), seen)
  if (kept !== undefined) return kept
  const users = await db
    .selectFrom('templates')
    .select(['id', 'alias'])
    .where('domain_id', '=', domainId)
    .where('layout_id', '=', id)
    .limit(10)
    .execute()
  if (users.length > 0) return { usedBy: users.map((user) => user.alias ?? user.id) }
  await db.deleteFrom('layouts').where('domain_id', '=', domainId).where('id', '=', id).execute()
  await forgetVersions(db, id)
  await markWorkspaceChanged(db, now)
  return 'deleted'
}

/** Returns the layout with this ID or alias, if the owner has such a layout. */
export const findLayout = (
  read: Read | Database,
  { accountId, domainId }: Owner,
  reference: string,
): Promise<Layout | undefined> =>
  ofDomain(read, domainId)
    .where('account_id', '=', accountId)
    .where(isId('lay', reference) ? 'id' : 'alias', '=', legalText(reference))
    .executeTakeFirst()

/** Returns a page of the layouts, newest first. */
export function listLayouts(
  read: Read,
  { accountId, domainId }: Owner,
  { limit, cursor, name }: NamedPage,
): Promise<Layout[]> {
  let query = ofDomain(read, domainId).where('account_id', '=', accountId).orderBy('id', 'desc').limit(limit)
  if (cursor !== undefined) query = query.where('id', '<', cursor)
  if (name !== undefined) query = query.where('name', '=', legalText(name))
  return query.execute()
}
