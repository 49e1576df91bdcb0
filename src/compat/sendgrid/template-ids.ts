// IDs of templates in the form of SendGrid: `d-` and 32 hexadecimal digits for dynamic templates, a UUID for others.

import { idOfUuid, isId, uuidOfId } from '../../lib/ids.ts'

/** Returns our ID of a template as the ID of a dynamic template. */
export const dynamicId = (id: string): string => `d-${uuidOfId(id).replaceAll('-', '')}`

/** Returns our ID or alias of a template. */
export function templateName(id: string): string {
  const [, digits] = /^(?:d-)?([0-9a-f]{32})$/i.exec(id) ?? []
  const uuid = digits?.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  return idOfUuid('tpl', uuid ?? id) ?? id
}

/** Returns the fields of a send request that name a template. */
export function templateReference(
  id: string,
): { readonly template_id: string } | { readonly template_alias: string } {
  const name = templateName(id)
  return isId('tpl', name) ? { template_id: name } : { template_alias: name }
}
