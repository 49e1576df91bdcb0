// Fields of the message that all rows get: sender, template, stream and tag.

import { Anchor, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { bulk as words } from '../../texts/en/bulk.ts'
import type { Stream } from '../streams/calls.ts'
import { allTemplatesQuery } from '../templates/calls.ts'

export interface Message {
  /** Local part of the sender address. */
  readonly from: string
  readonly fromName: string
  /** ID of the template; null if no template is selected. */
  readonly template: string | null
  readonly stream?: string | undefined
  readonly tag: string
  /** Local date and time in the format of the input field; empty to send at once. */
  readonly sendAt: string
}

/** Returns the time at which a message is sent, in RFC 3339 format; undefined to send at once. */
export const sendTimeOf = ({ sendAt }: Message): string | undefined =>
  sendAt === '' ? undefined : new Date(sendAt).toISOString()

interface MessageFieldsProps {
  readonly domainId: string
  readonly domain: string | undefined
  readonly streams: readonly Stream[]
  readonly message: Message
  readonly onChange: (message: Message) => void
}

export function MessageFields({ domainId, domain, streams, message, onChange }: MessageFieldsProps) {
  const texts = words.new
  const { data: templates, error, refetch } = useQuery(allTemplatesQuery(domainId))
  return (
    <Stack>
      <ErrorNotice error={error} again={refetch} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Select
          label={texts.template}
          placeholder={texts.templateChoice}
          searchable
          data={(templates ?? []).map(({ template_id, name }) => ({ value: template_id, label: name }))}
          value={message.template}
          onChange={(template) => onChange({ ...message, template })}
          required
          description={
            templates?.length === 0 && (
              <Anchor component={Link} to={`/domains/${domainId}/templates`} fz="sm">
                {texts.createTemplate}
              </Anchor>
            )
          }
        />
        <Select
          label={words.stream}
          data={streams.map(({ alias, name }) => ({ value: alias, label: name }))}
          value={message.stream ?? null}
          onChange={(stream) => onChange({ ...message, stream: stream ?? undefined })}
          allowDeselect={false}
        />
        <TextInput
          label={texts.from}
          value={message.from}
          onChange={(event) => onChange({ ...message, from: event.currentTarget.value })}
          rightSection={<Text fz="sm" c="dimmed" truncate>{`@${domain ?? '…'}`}</Text>}
          rightSectionWidth={180}
          required
        />
        <TextInput
          label={texts.senderName}
          value={message.fromName}
          onChange={(event) => onChange({ ...message, fromName: event.currentTarget.value })}
        />
        <TextInput
          label={texts.tag}
          description={texts.tagHint}
          maxLength={64}
          value={message.tag}
          onChange={(event) => onChange({ ...message, tag: event.currentTarget.value })}
        />
        <TextInput
          type="datetime-local"
          label={texts.sendAt}
          description={texts.sendAtHint}
          value={message.sendAt}
          onChange={(event) => onChange({ ...message, sendAt: event.currentTarget.value })}
        />
      </SimpleGrid>
    </Stack>
  )
}
