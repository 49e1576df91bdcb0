// Mail of the service to its users: invitations, password resets and notices.

/** A plain text mail to one person. */
export interface ServiceMail {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** Name of the mail, with which a repeated mail to the same person is sent once within a day. */
  readonly once?: string | undefined
}

/**
 * Sends a mail of the service itself. Returns false if the installation has no domain to send from, or if the address
 * has bounced or complained; the text is then shown to the requesting user or logged.
 */
export type SendServiceMail = (mail: ServiceMail) => Promise<boolean>

/** Sends a mail to each address; returns false if no address could be reached. */
export async function sendToEach(
  send: SendServiceMail,
  addresses: readonly string[],
  mail: Omit<ServiceMail, 'to'>,
): Promise<boolean> {
  const sent = await Promise.all(addresses.map((to) => send({ ...mail, to })))
  return sent.includes(true)
}

/** A complete mail with a report of the service to the operator of another mail system. */
export interface ReportMail {
  readonly from: string
  readonly to: string
  readonly subject: string
  /** The message with its header; lines end with CRLF. */
  readonly content: Buffer
  /** Name of the report, with which a repeated mail to the same address is sent once within a day. */
  readonly once: string
}

/**
 * Sends reports as mail. `sender` returns the domain and the mail address that reports come from; undefined if the
 * installation has no domain to send from. `send` returns false if the address has refused an earlier report for good.
 */
export interface SendReportMail {
  sender(): Promise<{ readonly domain: string; readonly email: string } | undefined>
  send(mail: ReportMail): Promise<boolean>
}

/**
 * Returns a name or an address in a form that is safe in a mail: one line, without text that mail clients turn into a
 * link.
 */
export const inMail = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/:\/\/|\bwww\./gi, ' ')
    .slice(0, 200)

/** Last line of every mail of the service. */
export const FOOTER = 'If you did not expect this email, you can ignore it.\n'
