// The place of each attachment in a message: a form of the content, shown by the HTML, or a file.

import type { Attachment, Content } from './content.ts'
import { shownContentIds, shownSpelling } from './content-ids.ts'
import { type MediaType, mediaType, parameterOf } from './media-type.ts'
import { decodeOctets } from './parts.ts'

/** A form of the content beside text and HTML (RFC 2046 §5.1.4). */
export interface Form {
  readonly type: MediaType
  readonly text: string
}

export interface AttachmentPlaces {
  /** For readers of AMP: between text and HTML, since other readers show the last form they know. */
  readonly amp: Form | undefined
  /** A meeting request, after the HTML (RFC 6047 §2.4). */
  readonly calendar: Form | undefined
  /** Files that the HTML shows. */
  readonly inline: readonly Attachment[]
  readonly files: readonly Attachment[]
}

/** Finds the place of each attachment. A meeting request stays a file as well: not every reader knows the form. */
export function attachmentPlaces({ attachments = [], html }: Content): AttachmentPlaces {
  let amp: Form | undefined
  let calendar: Form | undefined
  const inline: Attachment[] = []
  const files: Attachment[] = []
  const isNamed = attachments.some(({ contentId }) => contentId !== undefined)
  // Without HTML nothing can show it.
  const shown = html === undefined || !isNamed ? undefined : shownContentIds(html)
  for (const attachment of attachments) {
    const { contentId, contentType, filename } = attachment
    const id = contentId === undefined || shown === undefined ? undefined : shownSpelling(contentId, shown)
    if (id !== undefined) {
      inline.push({ ...attachment, contentId: id })
      continue
    }
    const type = mediaType(contentType, filename)
    if (amp === undefined && type.name === 'text/x-amp-html') {
      amp = formOf(attachment, type)
    } else if (calendar === undefined && isMeetingRequest(type)) {
      calendar = formOf(attachment, type)
      // With the type of the form it would be a second invitation to some readers.
      files.push({ ...attachment, contentType: 'application/ics' })
    } else files.push(attachment)
  }
  return { amp, calendar, inline, files }
}

const isMeetingRequest = (type: MediaType): boolean =>
  type.name === 'text/calendar' && parameterOf(type, 'method') !== undefined

const formOf = ({ content }: Attachment, type: MediaType): Form => ({
  type: { ...type, parameters: type.parameters.filter(([name]) => name !== 'charset') },
  text: decodeOctets(content, parameterOf(type, 'charset')).replace(/^\ufeff/, ''),
})
