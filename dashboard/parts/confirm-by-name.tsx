// Dialog that asks the user to type the name of an object before it is deleted.

import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { common } from '../texts/en/common.ts'
import { tables } from '../texts/en/tables.ts'
import { fill } from '../texts/texts.ts'
import { ActionButton } from './action-button.tsx'
import { ErrorNotice } from './error-notice.tsx'

interface ConfirmByNameProps {
  readonly opened: boolean
  readonly onClose: () => void
  readonly title: string
  /** Name that the user must type. */
  readonly name: string
  /** Description of the consequences, above the field. */
  readonly children: ReactNode
  /** Label of the button. */
  readonly action: string
  readonly onConfirm: () => void
  readonly busy: boolean
  readonly error?: Error | null
}

export function ConfirmByName(props: ConfirmByNameProps) {
  const { opened, onClose, title, name, children, action, onConfirm, busy, error = null } = props
  const [typed, setTyped] = useState('')
  const matches = typed.trim().toLowerCase() === name.toLowerCase()
  const close = () => {
    setTyped('')
    onClose()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (matches) onConfirm()
  }
  return (
    <Modal opened={opened} onClose={close} title={title}>
      <form onSubmit={submit}>
        <Stack>
          <Text fz="sm" component="div">
            {children}
          </Text>
          <TextInput
            label={fill(tables.typeToConfirm, { name })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
          <ErrorNotice error={error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {common.cancel}
            </Button>
            <ActionButton type="submit" color="red.9" disabled={!matches} loading={busy}>
              {action}
            </ActionButton>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
