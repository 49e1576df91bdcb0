// Builds the samples of returned mail.

/** Header section of a message of this service, as contained in reports. */
export const ORIGINAL = `Return-Path: <bounces+01kabcdefghjkmnpqrstvwxyz00abcdefghijklmnop@bounces.shop.example>
Received: from mail.shop.example (mail.shop.example [203.0.113.7])
	by mx.receiver.example with ESMTPS; Thu, 1 Jan 2026 00:00:01 +0000
Date: Thu, 01 Jan 2026 00:00:00 +0000
From: Shop <orders@shop.example>
To: jo@receiver.example
Subject: Your order
Message-ID: <01KABCDEFGHJKMNPQRSTVWXYZ0@shop.example>
MIME-Version: 1.0
Content-Type: text/plain
`

/** Content of a sample. Lines end in LF. */
interface SampleMail {
  readonly from: string
  readonly subject: string
  /** Further header fields, one per line. */
  readonly fields?: string
}

const head = ({ from, subject, fields }: SampleMail): string =>
  `Received: by mx.shop.example; Thu, 1 Jan 2026 01:00:00 +0000
From: ${from}
To: bounces+token@bounces.shop.example
Subject: ${subject}
Date: Thu, 01 Jan 2026 01:00:00 +0000
MIME-Version: 1.0
${fields === undefined ? '' : `${fields}\n`}`

const wire = (text: string): Buffer => Buffer.from(text.replace(/\r?\n/g, '\r\n'))

/** Builds a mail with one part, which is text unless `fields` contains another Content-Type. */
export const plainMail = (mail: SampleMail & { readonly text: string }): Buffer =>
  wire(`${head(mail)}\n${mail.text}\n`)

/** Builds a report (RFC 6522): a text for human readers, a part for programs, and the returned message. */
export const reportMail = (
  mail: SampleMail & {
    readonly text: string
    /** `delivery-status` by default. */
    readonly type?: string
    readonly report: string
    /**
     * Returned message, `ORIGINAL` by default; `headersOnly` returns only the header section, as text/rfc822-headers.
     */
    readonly original?: string
    readonly headersOnly?: boolean
    /** The media type of the text. */
    readonly textType?: string
  },
): Buffer => {
  const { type = 'delivery-status', textType = 'text/plain; charset=utf-8' } = mail
  const original = mail.original ?? ORIGINAL
  return wire(`${head(mail)}Content-Type: multipart/report; report-type=${type.replace('global-', '')};
	boundary="=_sample_1"

This is a MIME-encapsulated message.

--=_sample_1
Content-Type: ${textType}

${mail.text}

--=_sample_1
Content-Type: message/${type}

${mail.report}
--=_sample_1
Content-Type: ${mail.headersOnly ? 'text/rfc822-headers' : 'message/rfc822'}

${original}${mail.headersOnly ? '' : '\nThank you for your order.\n'}
--=_sample_1--
`)
}
