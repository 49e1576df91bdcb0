// Mail of the service to its own people: invitations and links for a new password.

/** A mail of plain text to one person. */
export interface ServiceMail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/**
 * Sends one through the service itself; false when the installation has no domain to send it from, or the address has
 * bounced or complained: then the user who asked passes on what it says, or the log has it.
 */
export type SendServiceMail = (mail: ServiceMail) => Promise<boolean>

/** Form of a name or an address in a mail: one line, nothing that ends it or that a program takes for a link. */
export const inMail = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/:\/\/|\bwww\./gi, ' ')
    .slice(0, 200)

/** Last line of all these mails. */
export const FOOTER = 'If you did not expect this email, you can ignore it.\n'
