// Forms that create a test inbox, whose password is shown once, and that change its name and limits.

import { Button, Group, Modal, NumberInput, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ProblemError } from '../../client.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { changedFields } from '../../parts/changed-fields.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Secret } from '../../parts/secret.tsx'
import { tell } from '../../parts/tell.ts'
import { common } from '../../texts/en/common.ts'
import { inboxes as words } from '../../texts/en/inboxes.ts'
import { fill } from '../../texts/texts.ts'
import { SecretDialog } from '../keys/secret-dialog.tsx'
import { changeInbox, createInbox, type Inbox, type NewInbox } from './calls.ts'
import { InboxAccess } from './inbox-access.tsx'

interface NewInboxDialogProps {
  readonly opened: boolean
  readonly onClose: () => void
}

export const NewInboxDialog = ({ opened, onClose }: NewInboxDialogProps) => (
  <SecretDialog<NewInbox>
    opened={opened}
    onClose={onClose}
    titles={[words.new, words.made]}
    form={(onMade, close) => (
      <Form begun={USUAL} action={words.create} save={createInbox} onSaved={onMade} onClose={close} />
    )}
    shown={(made) => (
      <>
        <InboxAccess inbox={made} />
        <Secret what={words.password} value={made.password} />
      </>
    )}
  />
)

interface EditInboxProps {
  readonly inbox: Inbox | undefined
  readonly onClose: () => void
}

export function EditInbox({ inbox, onClose }: EditInboxProps) {
  return (
    <Modal
      opened={inbox !== undefined}
      onClose={onClose}
      title={fill(words.editOne, { name: inbox?.name ?? '' })}
    >
      {inbox !== undefined && (
        <Form
          begun={inbox}
          action={words.save}
          save={(typed) => changeInbox(inbox.inbox_id, changedFields(typed, limitsOf(inbox)))}
          onSaved={({ name }) => {
            tell.done(fill(words.saved, { name }))
            onClose()
          }}
          onClose={onClose}
        />
      )}
    </Modal>
  )
}

type Limits = Pick<Inbox, 'name' | 'keep_messages' | 'keep_days'>

const limitsOf = ({ name, keep_messages, keep_days }: Limits): Limits => ({ name, keep_messages, keep_days })

const USUAL: Limits = { name: '', keep_messages: 1_000, keep_days: 7 }
const MOST = { messages: 10_000, days: 30 } as const
const FIELDS = ['name', 'keep_messages', 'keep_days']

interface FormProps<Saved> {
  readonly begun: Limits
  readonly action: string
  readonly save: (typed: Limits) => Promise<Saved>
  readonly onSaved: (saved: Saved) => void
  readonly onClose: () => void
}

function Form<Saved>({ begun, action, save, onSaved, onClose }: FormProps<Saved>) {
  const queries = useQueryClient()
  const [typed, setTyped] = useState<Record<keyof Limits, string | number>>(limitsOf(begun))
  const saving = useMutation({
    mutationFn: () =>
      save({
        name: String(typed.name).trim(),
        keep_messages: Number(typed.keep_messages),
        keep_days: Number(typed.keep_days),
      }),
    onSuccess: (saved) => {
      onSaved(saved)
      void queries.invalidateQueries({ queryKey: ['inboxes'] })
    },
  })
  const set = (changed: Partial<typeof typed>) => setTyped({ ...typed, ...changed })
  const problem = (field: string) =>
    saving.error instanceof ProblemError ? saving.error.field(field) : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    saving.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={words.name}
          description={words.nameHint}
          value={typed.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={problem('name')}
          maxLength={100}
          required
          data-autofocus
        />
        <NumberInput
          label={words.keepMessages}
          description={fill(words.keepMessagesHint, { most: MOST.messages })}
          value={typed.keep_messages}
          onChange={(keep_messages) => set({ keep_messages })}
          error={problem('keep_messages')}
          min={1}
          allowDecimal={false}
          required
        />
        <NumberInput
          label={words.keepDays}
          description={fill(words.keepDaysHint, { most: MOST.days })}
          value={typed.keep_days}
          onChange={(keep_days) => set({ keep_days })}
          error={problem('keep_days')}
          min={1}
          allowDecimal={false}
          required
        />
        <ErrorNotice error={saving.error} except={FIELDS} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <ActionButton type="submit" loading={saving.isPending}>
            {action}
          </ActionButton>
        </Group>
      </Stack>
    </form>
  )
}
