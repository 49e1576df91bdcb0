// Form that creates a webhook and shows its secret only once, or that changes a webhook.

import { Button, Group, Modal, MultiSelect, NumberInput, Select, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ProblemError } from '../../client.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { changedFields } from '../../parts/changed-fields.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { inWords } from '../../parts/in-words.ts'
import { Secret } from '../../parts/secret.tsx'
import { tell } from '../../parts/tell.ts'
import { common } from '../../texts/en/common.ts'
import { webhooks as words } from '../../texts/en/webhooks.ts'
import { EVENT_TYPES } from '../messages/event-types.ts'
import { streamsQuery } from '../streams/calls.ts'
import {
  changeWebhook,
  createWebhook,
  FORMATS,
  type Webhook,
  type WebhookWithSecret,
  webhooksKey,
} from './calls.ts'

interface WebhookFormProps {
  readonly domainId: string
  readonly edited: Webhook | 'new' | undefined
  readonly onClose: () => void
}

export function WebhookForm({ domainId, edited, onClose }: WebhookFormProps) {
  const [made, setMade] = useState<WebhookWithSecret>()
  const close = () => {
    setMade(undefined)
    onClose()
  }
  const title = made !== undefined ? words.newTitle : edited === 'new' ? words.newWebhook : words.editTitle
  return (
    <Modal
      opened={edited !== undefined}
      onClose={close}
      title={title}
      size="lg"
      // The secret is shown only once, so a click outside the dialog must not close it.
      closeOnClickOutside={made === undefined}
      closeOnEscape={made === undefined}
    >
      {made !== undefined && <ShownSecret secret={made.secret} onClose={close} />}
      {made === undefined && edited !== undefined && (
        <Form
          domainId={domainId}
          webhook={edited === 'new' ? undefined : edited}
          onMade={setMade}
          onClose={close}
        />
      )}
    </Modal>
  )
}

/** A signing secret, which is shown only once. */
export function ShownSecret({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  return (
    <Stack>
      <Secret what={words.signingSecret} value={secret} />
      <Group justify="flex-end">
        <Button onClick={onClose}>{words.done}</Button>
      </Group>
    </Stack>
  )
}

/** Values of the fields as the user has typed them. */
interface Typed {
  readonly name: string
  readonly url: string
  readonly format: Webhook['format']
  readonly types: Webhook['event_types']
  readonly streams: string[]
  readonly tags: string
  readonly batch: number | string
}

const typedOf = (webhook: Webhook | undefined): Typed => ({
  name: webhook?.name ?? '',
  url: webhook?.url ?? '',
  format: webhook?.format ?? 'standard',
  types: webhook?.event_types ?? [],
  streams: webhook?.streams ?? [],
  tags: webhook?.tags.join(', ') ?? '',
  batch: webhook?.batch_size ?? 1,
})

const bodyOf = (typed: Typed) => ({
  name: typed.name.trim(),
  url: typed.url.trim(),
  format: typed.format,
  event_types: typed.types,
  streams: typed.streams,
  tags: typed.tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== ''),
  batch_size: Number(typed.batch || 1),
})

interface FormProps {
  readonly domainId: string
  readonly webhook: Webhook | undefined
  readonly onMade: (made: WebhookWithSecret) => void
  readonly onClose: () => void
}

const FIELDS = ['name', 'url', 'format', 'event_types', 'streams', 'tags', 'batch_size']

function Form({ domainId, webhook, onMade, onClose }: FormProps) {
  const queries = useQueryClient()
  const streams = useQuery(streamsQuery(domainId))
  const [begun] = useState(() => typedOf(webhook))
  const [typed, setTyped] = useState(begun)
  const saving = useMutation({
    mutationFn: async () => {
      if (webhook === undefined) onMade(await createWebhook(domainId, bodyOf(typed)))
      else await changeWebhook(domainId, webhook.webhook_id, changedFields(bodyOf(typed), bodyOf(begun)))
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: webhooksKey(domainId) })
      if (webhook === undefined) return
      tell.done(words.saved)
      onClose()
    },
  })
  const set = (changed: Partial<Typed>) => setTyped({ ...typed, ...changed })
  const problem = (path: string) =>
    saving.error instanceof ProblemError
      ? saving.error.errors.find((one) => one.path === path || one.path.startsWith(`${path}[`))?.message
      : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    saving.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="URL"
          description={words.urlHint}
          placeholder="https://app.example.com/webhooks"
          value={typed.url}
          onChange={(event) => set({ url: event.currentTarget.value })}
          error={problem('url')}
          required
          spellCheck={false}
          data-autofocus
        />
        <TextInput
          label={words.name}
          value={typed.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={problem('name')}
          maxLength={100}
        />
        <Select
          label={words.format}
          description={words.formatHint}
          data={Object.entries(FORMATS).map(([value, label]) => ({ value, label }))}
          value={typed.format}
          onChange={(format) => set({ format: (format ?? 'standard') as Webhook['format'] })}
          error={problem('format')}
          allowDeselect={false}
        />
        <MultiSelect
          label={words.eventTypes}
          placeholder={typed.types.length === 0 ? words.all : ''}
          data={EVENT_TYPES.map((type) => ({ value: type, label: inWords(type) }))}
          value={typed.types}
          onChange={(types) => set({ types: types as Webhook['event_types'] })}
          error={problem('event_types')}
          clearable
        />
        <MultiSelect
          label={words.streams}
          placeholder={typed.streams.length === 0 ? words.all : ''}
          data={(streams.data?.data ?? []).map(({ alias, name }) => ({ value: alias, label: name }))}
          value={typed.streams}
          onChange={(chosen) => set({ streams: chosen })}
          error={problem('streams')}
          clearable
        />
        <TextInput
          label={words.tags}
          description={words.tagsHint}
          value={typed.tags}
          onChange={(event) => set({ tags: event.currentTarget.value })}
          error={problem('tags')}
          spellCheck={false}
        />
        <NumberInput
          label={words.batchSize}
          description={words.batchHint}
          value={typed.batch}
          onChange={(batch) => set({ batch })}
          error={problem('batch_size')}
          min={1}
          max={500}
          allowDecimal={false}
          hideControls
        />
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
