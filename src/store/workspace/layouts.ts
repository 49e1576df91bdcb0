// Layouts of a domain, each a common frame around the content of templates.

import { isId } from '../../lib/ids.ts'
import { type Database, legalText, type Read } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'
import type { Owner } from '../messages/owner.ts'
import { markWorkspaceChanged } from '../node/installation.ts'
import {
  columnsAfter,
  type DeletedTemplate,
  type DeleteTemplate,
  findReplaced,
  forgetVersions,
  keepSaved,
  keepsTemplate,
  type NamedPage,
  type SampleModel,
  type Save,
  type SaveRefusal,
} from './template-versions.ts'
import { lockWorkspace } from './workspace-lock.ts'

export type Layout = Tables['layouts']

/** Maximum number of layouts of a domain. */
export const MAX_LAYOUTS = 200

/** A layout to save; the store sets the version. */
export interface SaveLayout extends Save {
  readonly layout: Omit<Layout, 'version' | 'sample_model'> & SampleModel
}

export type SavedLayout = { readonly kind: 'saved'; readonly layout: Layout } | { readonly kind: SaveRefusal }

/** Creates or replaces layouts, and stores each saved version. */
export async function saveLayout(db: Database, items: readonly SaveLayout[]): Promise<SavedLayout[]> {
  const results: SavedLayout[] = []
  for (const item of items) results.push(await save(db, item))
  return results
}
saveLayout.auditTarget = ({ layout }: { readonly layout: { readonly id: string } }): string => layout.id

async function save(db: Database, { layout, ...how }: SaveLayout): Promise<SavedLayout> {
  const { account_id: accountId, domain_id: domainId, alias, name, html, text } = layout
  await lockWorkspace(db, domainId)
  const find = (reference: string) => findLayout(db, { accountId, domainId }, reference)
  const found = await findReplaced(db, 'layouts', layout, how, find, MAX_LAYOUTS)
  if ('refusal' in found) return { kind: found.refusal }
  const saved: Layout = { ...layout, ...columnsAfter(found.before, layout) }
  const { sample_model } = saved
  await keepSaved(db, 'layouts', saved, how.savedBy, { alias, name, html, text, sample_model })
  return { kind: 'saved', layout: saved }
}

const ofDomain = (db: Database | Read, domainId: string) =>
  (db as Read).selectFrom('layouts').selectAll().where('domain_id', '=', domainId)

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

/** Returns the aliases of the newest layouts of a domain, at most `limit`. */
export async function layoutAliases(
  read: Read,
  { accountId, domainId }: Owner,
  limit: number,
): Promise<string[]> {
  const rows = await ofDomain(read, domainId)
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.flatMap(({ alias }) => alias ?? [])
}

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
