// Mail of the service to its users: invitations, password resets and notices.

/** A plain text mail to one person. */
export interface ServiceMail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/**
 * Sends a mail through the service itself. Returns false when the installation has no domain to send from, or the
 * address has bounced or complained; the requesting user or the log then gets the text.
 */
export type SendServiceMail = (mail: ServiceMail) => Promise<boolean>

/** Returns a name or an address in a form safe for a mail: one line, with nothing that a program takes for a link. */
export const inMail = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/:\/\/|\bwww\./gi, ' ')
    .slice(0, 200)

/** Last line of all these mails. */
export const FOOTER = 'If you did not expect this email, you can ignore it.\n'
