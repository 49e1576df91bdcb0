// Builds the samples of returned mail.

/** The header section of a message of ours, as reports return it. */
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

/** Content of a sample; text may be indented as the code is, and lines end in LF here. */
interface SampleMail {
  readonly from: string
  readonly subject: string
  /** Further fields, one a line. */
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

/** A mail of one part: text, unless `fields` say otherwise. */
export const plainMail = (mail: SampleMail & { readonly text: string }): Buffer =>
  wire(`${head(mail)}\n${mail.text}\n`)

/** RFC 6522: a text for people, the machine's part, and what is returned. */
export const reportMail = (
  mail: SampleMail & {
    readonly text: string
    /** `delivery-status` unless told. */
    readonly type?: string
    readonly report: string
    /** The header section alone, in text/rfc822-headers, when `headersOnly`; the usual original unless told. */
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
