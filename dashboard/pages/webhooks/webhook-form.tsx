// Form that creates a webhook and shows its secret only once, or that changes a webhook.

import {
  Button,
  Group,
  Modal,
  MultiSelect,
  NumberInput,
  Select,
  Stack,
  Switch,
  TextInput,
} from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ProblemError } from '../../client.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { changedFields } from '../../parts/changed-fields.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Secret } from '../../parts/secret.tsx'
import { tell } from '../../parts/tell.ts'
import { useSession } from '../../session.ts'
import { accountEvents } from '../../texts/en/account-events.ts'
import { common } from '../../texts/en/common.ts'
import { webhooks as words } from '../../texts/en/webhooks.ts'
import { EVENT_TYPES } from '../messages/event-types.ts'
import { streamsQuery } from '../streams/calls.ts'
import {
  changeWebhook,
  createWebhook,
  type DomainWebhook,
  FORMATS,
  isOfDomain,
  type Place,
  type Webhook,
  type WebhookWithSecret,
  webhooksKey,
} from './calls.ts'
import { eventName } from './event-name.ts'

interface WebhookFormProps {
  readonly place: Place
  readonly edited: Webhook | 'new' | undefined
  readonly onClose: () => void
}

export function WebhookForm({ place, edited, onClose }: WebhookFormProps) {
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
          place={place}
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
  readonly types: readonly string[]
  readonly batch: number | string
  /** Fields of the webhooks of a domain. */
  readonly format: DomainWebhook['format']
  readonly streams: string[]
  readonly tags: string
  /** Field of the webhooks of the account. */
  readonly allAccounts: boolean
}

const typedOf = (webhook: Webhook | undefined): Typed => {
  const ofDomain = webhook !== undefined && isOfDomain(webhook) ? webhook : undefined
  return {
    name: webhook?.name ?? '',
    url: webhook?.url ?? '',
    types: webhook?.event_types ?? [],
    batch: webhook?.batch_size ?? 1,
    format: ofDomain?.format ?? 'standard',
    streams: ofDomain?.streams ?? [],
    tags: ofDomain?.tags.join(', ') ?? '',
    allAccounts: webhook !== undefined && !isOfDomain(webhook) && webhook.all_accounts,
  }
}

const bodyOf = (place: Place, typed: Typed) => ({
  name: typed.name.trim(),
  url: typed.url.trim(),
  event_types: typed.types,
  batch_size: Number(typed.batch || 1),
  ...(place === null
    ? { all_accounts: typed.allAccounts }
    : {
        format: typed.format,
        streams: typed.streams,
        tags: typed.tags
          .split(',')
          .map((tag) => tag.trim())
          .filter((tag) => tag !== ''),
      }),
})

interface FormProps {
  readonly place: Place
  readonly webhook: Webhook | undefined
  readonly onMade: (made: WebhookWithSecret) => void
  readonly onClose: () => void
}

const FIELDS = ['name', 'url', 'format', 'event_types', 'streams', 'tags', 'batch_size', 'all_accounts']

function Form({ place, webhook, onMade, onClose }: FormProps) {
  const queries = useQueryClient()
  const [begun] = useState(() => typedOf(webhook))
  const [typed, setTyped] = useState(begun)
  const saving = useMutation({
    mutationFn: async () => {
      if (webhook === undefined) onMade(await createWebhook(place, bodyOf(place, typed)))
      else
        await changeWebhook(
          place,
          webhook.webhook_id,
          changedFields(bodyOf(place, typed), bodyOf(place, begun)),
        )
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: webhooksKey(place) })
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
        <MultiSelect
          label={words.eventTypes}
          placeholder={typed.types.length === 0 ? words.all : ''}
          data={typesOf(place).map((type) => ({ value: type, label: eventName(type) }))}
          value={[...typed.types]}
          onChange={(types) => set({ types })}
          error={problem('event_types')}
          clearable
        />
        <Special place={place} typed={typed} set={set} problem={problem} />
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

/** Returns the event types that the webhooks of a place can receive. */
const typesOf = (place: Place): readonly string[] =>
  place === null ? Object.keys(accountEvents.types) : EVENT_TYPES

interface SpecialProps {
  readonly place: Place
  readonly typed: Typed
  readonly set: (changed: Partial<Typed>) => void
  readonly problem: (path: string) => string | undefined
}

/** Fields that only the webhooks of a domain, or only the webhooks of the account have. */
const Special = (props: SpecialProps) =>
  props.place === null ? <AllAccounts {...props} /> : <Filters {...props} domainId={props.place} />

/** Switch for the events of all accounts; no output for a user who does not operate the installation. */
function AllAccounts({ typed, set }: SpecialProps) {
  const { user } = useSession()
  return (
    (user.operator || typed.allAccounts) && (
      <Switch
        label={words.allAccounts}
        description={words.allAccountsHint}
        checked={typed.allAccounts}
        onChange={(event) => set({ allAccounts: event.currentTarget.checked })}
      />
    )
  )
}

function Filters({ domainId, typed, set, problem }: SpecialProps & { readonly domainId: string }) {
  const streams = useQuery(streamsQuery(domainId))
  return (
    <>
      <Select
        label={words.format}
        description={words.formatHint}
        data={Object.entries(FORMATS).map(([value, label]) => ({ value, label }))}
        value={typed.format}
        onChange={(format) => set({ format: (format ?? 'standard') as DomainWebhook['format'] })}
        error={problem('format')}
        allowDeselect={false}
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
    </>
  )
}
