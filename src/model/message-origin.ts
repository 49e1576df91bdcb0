// Facts that the record of a message keeps in addition to the content: the template, and the reply addresses.

import type { MailboxInput } from './send-request.ts'

/** The template that provided the content of a message, in the state at the time of acceptance. */
export interface TemplateOrigin {
  readonly template_id: string
  /** Alias of the template; undefined if the template had none. */
  readonly template_alias?: string
  /** Alias of the layout, or its ID if the layout had no alias; undefined if the message has no layout. */
  readonly layout?: string
}

export interface MessageOrigin extends Partial<TemplateOrigin> {
  readonly reply_to?: readonly MailboxInput[]
}

/** Maximum number of reply addresses in the record of a message; the content has all reply addresses. */
export const MAX_REPLY_TO = 10

/** Returns the origin of a message; undefined if the message has neither a template nor reply addresses. */
export function originOf(
  template: TemplateOrigin | undefined,
  replyTo: readonly MailboxInput[],
): MessageOrigin | undefined {
  if (template === undefined && replyTo.length === 0) return undefined
  return { ...template, ...(replyTo.length === 0 ? {} : { reply_to: replyTo.slice(0, MAX_REPLY_TO) }) }
}

/** Returns the origin that the row of a message has; undefined if the row has none. */
export const originOfMessage = ({ origin }: { readonly origin: string | null }): MessageOrigin | undefined =>
  origin === null ? undefined : (JSON.parse(origin) as MessageOrigin)
