// Form that creates or changes a stream.

import { Button, Checkbox, Group, Modal, Select, Stack, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ProblemError } from '../../client.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { changedFields } from '../../parts/changed-fields.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { tell } from '../../parts/tell.ts'
import { common } from '../../texts/en/common.ts'
import { streams as words } from '../../texts/en/streams.ts'
import { fill } from '../../texts/texts.ts'
import { changeStream, createStream, type Stream, type StreamChanges, streamsQuery } from './calls.ts'
import { RetentionFields, SendingFields, type Typed, UnsubscribeFields } from './stream-fields.tsx'

interface StreamFormProps {
  readonly domainId: string
  readonly edited: Stream | 'new' | undefined
  readonly onClose: () => void
}

export function StreamForm({ domainId, edited, onClose }: StreamFormProps) {
  return (
    <Modal
      opened={edited !== undefined}
      onClose={onClose}
      title={edited === 'new' ? words.new : fill(words.editOne, { name: edited?.name ?? '' })}
    >
      {edited !== undefined && (
        <Form domainId={domainId} stream={edited === 'new' ? undefined : edited} onClose={onClose} />
      )}
    </Modal>
  )
}

const HOUR_SECONDS = 3_600

const typedOf = (stream: Stream | undefined): Typed => ({
  alias: stream?.alias ?? '',
  name: stream?.name ?? '',
  kind: stream?.kind ?? 'transactional',
  rate: stream?.rate ?? '',
  hours: stream?.retry_for_seconds == null ? '' : stream.retry_for_seconds / HOUR_SECONDS,
  allowance: stream?.sending_allowance ?? '',
  contentDays: stream?.content_retention_days ?? '',
  storesContent: stream?.store_content ?? true,
  trackOpens: stream?.track_opens ?? null,
  trackLinks: stream?.track_links ?? null,
  headers: Object.entries(stream?.headers ?? {})
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n'),
  unsubscribe: stream?.unsubscribe ?? 'service',
  brandName: stream?.brand?.name ?? '',
  logoUrl: stream?.brand?.logo_url ?? '',
  color: stream?.brand?.color ?? '',
  addresses: stream?.addresses.join('\n') ?? '',
  archived: stream?.archived ?? false,
})

const numberOr = (value: number | string): number | null => (value === '' ? null : Number(value))

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

function changesOf(typed: Typed): StreamChanges {
  const always = {
    name: typed.name.trim(),
    content_retention_days: numberOr(typed.contentDays),
    store_content: typed.storesContent,
  }
  if (typed.kind === 'inbound') return { ...always, addresses: linesOf(typed.addresses) }
  const hours = numberOr(typed.hours)
  const lines = linesOf(typed.headers)
  return {
    ...always,
    rate: typed.rate.trim() || null,
    retry_for_seconds: hours === null ? null : Math.round(hours * HOUR_SECONDS),
    sending_allowance: numberOr(typed.allowance),
    track_opens: typed.trackOpens,
    track_links: typed.trackLinks,
    ...(typed.kind === 'broadcast'
      ? {
          unsubscribe: typed.unsubscribe,
          brand: {
            name: typed.brandName.trim() || null,
            logo_url: typed.logoUrl.trim() || null,
            color: typed.color.trim() || null,
          },
        }
      : {}),
    headers: Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':')
        return colon < 0 ? [line.trim(), ''] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
      }),
    ),
  }
}

interface FormProps {
  readonly domainId: string
  readonly stream: Stream | undefined
  readonly onClose: () => void
}

function Form({ domainId, stream, onClose }: FormProps) {
  const queries = useQueryClient()
  const [begun] = useState(() => typedOf(stream))
  const [typed, setTyped] = useState(begun)
  const saving = useMutation({
    mutationFn: () => {
      if (stream !== undefined) {
        const all = (of: Typed): StreamChanges => ({ ...changesOf(of), archived: of.archived })
        return changeStream(domainId, stream.alias, changedFields(all(typed), all(begun)))
      }
      return createStream(domainId, {
        ...changesOf(typed),
        name: typed.name.trim(),
        alias: typed.alias,
        kind: typed.kind,
      })
    },
    onSuccess: async (saved) => {
      await queries.invalidateQueries({ queryKey: streamsQuery(domainId).queryKey })
      tell.done(fill(words.saved, { name: saved.name }))
      onClose()
    },
  })
  const set = (changed: Partial<Typed>) => setTyped({ ...typed, ...changed })
  const problem = (path: string) =>
    saving.error instanceof ProblemError
      ? saving.error.errors.find(
          (one) => one.path === path || one.path.startsWith(`${path}.`) || one.path.startsWith(`${path}[`),
        )?.message
      : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    saving.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={words.name}
          value={typed.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={problem('name')}
          required
          data-autofocus
        />
        {stream === undefined && (
          <>
            <TextInput
              label={words.alias}
              description={words.aliasHint}
              value={typed.alias}
              onChange={(event) => set({ alias: event.currentTarget.value })}
              error={problem('alias')}
              required
              spellCheck={false}
            />
            <Select
              label={words.kind}
              description={words.kindHint}
              data={Object.entries(words.kinds).map(([value, label]) => ({ value, label }))}
              value={typed.kind}
              onChange={(kind) => set({ kind: (kind ?? 'transactional') as Stream['kind'] })}
              allowDeselect={false}
            />
          </>
        )}
        {typed.kind === 'inbound' && (
          <Textarea
            label={words.addresses}
            description={words.addressesHint}
            value={typed.addresses}
            onChange={(event) => set({ addresses: event.currentTarget.value })}
            error={problem('addresses')}
            autosize
            minRows={2}
            maxRows={8}
            spellCheck={false}
          />
        )}
        {typed.kind === 'broadcast' && <UnsubscribeFields typed={typed} set={set} problem={problem} />}
        <details className="more-fields" open={stream !== undefined || saving.error !== null}>
          <summary>{words.moreSettings}</summary>
          <Stack mt="md">
            {typed.kind !== 'inbound' && <SendingFields typed={typed} set={set} problem={problem} />}
            <RetentionFields typed={typed} set={set} problem={problem} />
          </Stack>
        </details>
        {stream !== undefined && (
          <Checkbox
            label={words.archivedHint}
            checked={typed.archived}
            onChange={(event) => set({ archived: event.currentTarget.checked })}
          />
        )}
        <ErrorNotice error={saving.error} except={FIELDS} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <ActionButton type="submit" loading={saving.isPending}>
            {words.save}
          </ActionButton>
        </Group>
      </Stack>
    </form>
  )
}

const FIELDS = [
  'name',
  'alias',
  'unsubscribe',
  'brand.name',
  'brand.logo_url',
  'brand.color',
  'rate',
  'retry_for_seconds',
  'sending_allowance',
  'content_retention_days',
  'track_opens',
  'track_links',
  'headers',
  'addresses',
]
