// Names of templates in the form of Resend: a UUID or an alias.

import { idOfUuid, isId } from '../../lib/ids.ts'

/** Returns the ID or the alias that `/v1` uses for the name of a template. */
export const templateName = (name: string): string => idOfUuid('tpl', name) ?? name

/** Returns the fields of a send request that name a template. */
export function templateReference(
  name: string,
): { readonly template_id: string } | { readonly template_alias: string } {
  const known = templateName(name)
  return isId('tpl', known) ? { template_id: known } : { template_alias: known }
}
