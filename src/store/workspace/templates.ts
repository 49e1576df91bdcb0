// Templates of a domain: saves, deletes and reads templates.

import { isId } from '../../lib/ids.ts'
import { type Database, legalText, type Read } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'
import type { Owner } from '../messages/owner.ts'
import { markWorkspaceChanged } from '../node/installation.ts'
import { findLayout } from './layouts.ts'
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

type TemplateRow = Tables['templates']

/** A template, with the alias or ID of its layout. */
export interface Template extends TemplateRow {
  /** Alias of the layout, or the ID of a layout without an alias; null if the template has no layout. */
  readonly layout: string | null
}

/** Maximum number of templates of a domain. */
export const MAX_TEMPLATES = 2_000

/** A template to save; the store sets the version and the ID of the layout. */
export interface SaveTemplate extends Save {
  readonly template: Omit<TemplateRow, 'version' | 'layout_id' | 'sample_model'> & SampleModel
  /** Alias or ID of the layout. */
  readonly layout: string | null
}

export type SavedTemplate =
  | { readonly kind: 'saved'; readonly template: Template }
  | { readonly kind: SaveRefusal | 'layout_not_found' }

/** Creates or replaces templates, and stores each saved version. */
export async function saveTemplate(db: Database, items: readonly SaveTemplate[]): Promise<SavedTemplate[]> {
  const results: SavedTemplate[] = []
  for (const item of items) results.push(await save(db, item))
  return results
}
saveTemplate.auditTarget = ({ template }: { readonly template: { readonly id: string } }): string =>
  template.id

async function save(db: Database, { template, layout, ...how }: SaveTemplate): Promise<SavedTemplate> {
  const { account_id: accountId, domain_id: domainId, alias } = template
  const owner = { accountId, domainId }
  await lockWorkspace(db, domainId)
  const find = (reference: string) => findTemplate(db, owner, reference)
  const found = await findReplaced(db, 'templates', template, how, find, MAX_TEMPLATES)
  if ('refusal' in found) return { kind: found.refusal }
  const around = layout === null ? undefined : await findLayout(db, owner, layout)
  if (layout !== null && around === undefined) return { kind: 'layout_not_found' }
  const layoutId = around?.id ?? null
  const saved: TemplateRow = { ...template, layout_id: layoutId, ...columnsAfter(found.before, template) }
  const called = around === undefined ? null : (around.alias ?? around.id)
  const { name, subject, html, text, required_paths, inline_css, sample_model } = saved
  await keepSaved(db, 'templates', saved, how.savedBy, {
    ...{ alias, name, subject, html, text, layout_id: layoutId, layout: called },
    ...{ required_paths, inline_css, sample_model },
  })
  return { kind: 'saved', template: { ...saved, layout: called } }
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

/** Returns the aliases of the newest templates of a domain, at most `limit`. */
export async function templateAliases(
  read: Read,
  { accountId, domainId }: Owner,
  limit: number,
): Promise<string[]> {
  const rows = await read
    .selectFrom('templates')
    .select('alias')
    .where('domain_id', '=', domainId)
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.flatMap(({ alias }) => alias ?? [])
}

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
