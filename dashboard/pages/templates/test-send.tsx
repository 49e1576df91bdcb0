// Form that sends a test message with the content of the editor and the variables of the preview.

import { Anchor, Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import { ActionButton } from '../../parts/action-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { IconSend } from '../../parts/icons.tsx'
import { useSession } from '../../session.ts'
import { templates } from '../../texts/en/templates.ts'
import { parts } from '../../texts/texts.ts'
import { useDomainName } from '../domains/workspace.ts'
import { type Stream, streamsQuery } from '../streams/calls.ts'
import { type Rendered, type Saved, sendTest } from './calls.ts'

const words = templates.test

interface TestSendProps {
  readonly domainId: string
  readonly saved: Saved
  readonly dirty: boolean
  readonly model: object | undefined
  /** Rendered content of the editor; undefined if the content cannot be rendered. */
  readonly rendered: Rendered | undefined
}

export function TestSend(props: TestSendProps) {
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button variant="default" leftSection={<IconSend size={16} stroke={1.6} />} onClick={open}>
        {words.title}
      </Button>
      <Modal opened={opened} onClose={close} title={words.title}>
        <TestForm {...props} close={close} />
      </Modal>
    </>
  )
}

function TestForm({
  domainId,
  saved,
  dirty,
  model,
  rendered,
  close,
}: TestSendProps & { readonly close: () => void }) {
  const { user } = useSession()
  const domain = useDomainName()
  const [from, setFrom] = useState('test')
  const [to, setTo] = useState(user.email)
  const [chosen, setChosen] = useState<string>()
  const streams = (useQuery(streamsQuery(domainId)).data?.data ?? []).filter(
    ({ archived, kind }) => !archived && kind !== 'inbound',
  )
  const stream = chosen ?? usualStream(streams, saved, rendered)
  const sending = useMutation({
    mutationFn: () =>
      sendTest(domainId, {
        from: `${from.trim()}@${domain}`,
        to: [{ email: to.trim() }],
        tag: 'test',
        stream,
        ...contentOf(saved, dirty, model, rendered),
      }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    sending.mutate()
  }
  if (sending.data !== undefined) {
    return (
      <Stack>
        <Text fz="sm">
          {parts(words.queued, {
            link: (
              <Anchor
                key="link"
                component={Link}
                to={`/domains/${domainId}/messages/${sending.data.message_id}`}
              >
                {words.view}
              </Anchor>
            ),
          })}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => sending.reset()}>
            {words.another}
          </Button>
          <Button onClick={close}>{words.done}</Button>
        </Group>
      </Stack>
    )
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={words.from}
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
          rightSection={<Text fz="sm" c="dimmed" truncate>{`@${domain ?? '…'}`}</Text>}
          rightSectionWidth={180}
          required
        />
        <TextInput
          label={words.to}
          type="text"
          inputMode="email"
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
          required
        />
        <Select
          label={words.stream}
          data={streams.map(({ alias, name }) => ({ value: alias, label: name }))}
          value={stream}
          onChange={(value) => setChosen(value ?? undefined)}
          allowDeselect={false}
        />
        <Text fz="sm" c="dimmed">
          {sentence(dirty, rendered !== undefined)}
        </Text>
        <ErrorNotice error={sending.error} />
        <Group justify="flex-end">
          <ActionButton
            type="submit"
            loading={sending.isPending}
            disabled={domain === undefined || (dirty && rendered === undefined)}
          >
            {words.send}
          </ActionButton>
        </Group>
      </Stack>
    </form>
  )
}

/** True if a part contains the placeholder for the recipient's unsubscribe link. */
export const hasUnsubscribeLink = ({ html, text }: Pick<Saved, 'html' | 'text'>): boolean =>
  /@unsubscribe_url/.test(`${html} ${text}`)

/** Returns the default stream; a message with an unsubscribe link requires a broadcast stream. */
function usualStream(streams: readonly Stream[], saved: Saved, rendered: Rendered | undefined): string {
  const kind = hasUnsubscribeLink(rendered ?? saved) ? 'broadcast' : 'transactional'
  const usual = streams.find(({ alias }) => alias === kind) ?? streams.find((one) => one.kind === kind)
  return usual?.alias ?? kind
}

function sentence(dirty: boolean, rendered: boolean): string {
  if (!dirty) return words.sendsSaved
  return rendered ? words.sendsUnsaved : words.cannot
}

/** Returns the content of the test message: the ID of a saved template, or the rendered parts of an unsaved one. */
function contentOf(
  saved: Saved,
  dirty: boolean,
  model: object | undefined,
  rendered: Rendered | undefined,
): object {
  const subject = rendered?.subject || saved.name
  if (!dirty || rendered === undefined) {
    return {
      template_id: saved.id,
      template_model: model ?? {},
      ...(saved.subject === null ? { subject } : {}),
    }
  }
  const { html, text } = rendered
  return { subject, ...(html === null ? {} : { html }), ...(text === null ? {} : { text }) }
}
