// Facts about the making of a message: its template, its submitter, its attachments and its size.

import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { byteSize } from '../../parts/numbers.ts'
import { messages as words } from '../../texts/en/messages.ts'
import { fill } from '../../texts/texts.ts'
import { attachmentsQuery, type Message } from './calls.ts'
import { Attachments } from './content.tsx'

type Fact = readonly [name: string, value: ReactNode]

interface LinkedProps {
  readonly to: string
  readonly children: string
}

const Linked = ({ to, children }: LinkedProps) => (
  <Anchor component={Link} to={to} inherit>
    {children}
  </Anchor>
)

/** Returns the facts about the template, the reply addresses and the submitter of a message. */
export function sourceFacts(domainId: string, message: Message): readonly Fact[] {
  const { template_id: template, template_alias: alias, layout, reply_to: replyTo = [] } = message
  return [
    [words.replyTo, replyTo.map(({ email, name }) => (name ? `${name} <${email}>` : email)).join(', ')],
    [
      words.template,
      template !== undefined && (
        <Linked key="template" to={`/domains/${domainId}/templates/${template}`}>
          {alias ?? template}
        </Linked>
      ),
    ],
    [words.layout, layout],
    [words.submittedBy, <Submitter key="key" domainId={domainId} submitter={message.key} />],
  ]
}

interface SubmitterProps {
  readonly domainId: string
  readonly submitter: Message['key']
}

function Submitter({ domainId, submitter }: SubmitterProps) {
  if (submitter === null) return words.submitters.unknown
  const { kind, name, key_id: id } = submitter
  if (kind === 'user') {
    return name === null || name === '' ? words.submitters.user : fill(words.submitters.userNamed, { name })
  }
  const page = kind === 'smtp' ? 'smtp' : 'keys'
  return (
    <Linked to={`/domains/${domainId}/${page}`}>{fill(words.submitters[kind], { name: name || id })}</Linked>
  )
}

/** Returns the facts about attachments and size, which need the content of the message. */
export function useContentFacts(
  domainId: string,
  { message_id, size }: Message,
): readonly [attachments: Fact, size: Fact] {
  const { data } = useQuery(attachmentsQuery(domainId, message_id))
  const files = data?.data ?? []
  return [
    [words.attachments, files.length > 0 && <Attachments key="files" files={files} />],
    [
      words.size,
      data === undefined
        ? fill(words.sizes.stored, { size: byteSize(size) })
        : fill(words.sizes.sent, { size: byteSize(data.mail_size) }),
    ],
  ]
}
