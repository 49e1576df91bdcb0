// Saves templates of the attacker over HTTP, and builds send requests with these templates.

import type { Attacked } from './recipe.ts'

/** Saves a template in the attacker's domain. */
export async function saveTemplate(
  { url, attacker }: Pick<Attacked, 'url' | 'attacker'>,
  template: { readonly alias: string } & Readonly<Record<string, unknown>>,
): Promise<void> {
  const response = await fetch(`${url}/v1/templates`, {
    method: 'POST',
    headers: { authorization: `Bearer ${attacker.sendingKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: template.alias, subject: 's', ...template }),
  })
  if (response.status !== 201) throw new Error(`the template was refused: ${await response.text()}`)
}

/** Returns a send request that uses a template. */
export const sendBy = (
  { attacker }: Pick<Attacked, 'attacker'>,
  alias: string,
  model: object,
  to = 'b@receiver.test',
): object => ({
  from: `a@${attacker.domain.name}`,
  to: [{ email: to }],
  template_alias: alias,
  template_model: model,
})
