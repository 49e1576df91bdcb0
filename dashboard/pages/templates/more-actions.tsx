// Rare actions on a template or layout: discard changes, delete.

import { ActionIcon, Button, Group, Menu, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { IconArrowBackUp, IconCopy, IconDots, IconTrash } from '../../parts/icons.tsx'
import { tell } from '../../parts/tell.ts'
import { destroy, type Noun, type SaveBody, type Saved } from './calls.ts'
import { CreateForm } from './create-form.tsx'

interface MoreActionsProps {
  readonly noun: Noun
  readonly domainId: string
  readonly saved: Saved
  /** Content of the editor, for a duplicate. */
  readonly body: SaveBody
  /** Gives up what was typed; undefined when nothing was. */
  readonly discard: (() => void) | undefined
}

export function MoreActions({ noun, domainId, saved, body, discard }: MoreActionsProps) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [opened, { open, close }] = useDisclosure()
  const [duplicating, duplicate] = useDisclosure()
  const deleting = useMutation({
    mutationFn: () => destroy(noun, domainId, saved.id),
    onSuccess: () => {
      discard?.()
      tell.done(`${saved.name} is deleted.`)
      navigate(`/domains/${domainId}/${noun}s`)
      void queries.invalidateQueries({ queryKey: ['domains', domainId, `${noun}s`] })
    },
  })
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label="More">
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconArrowBackUp size={16} />}
            disabled={discard === undefined}
            onClick={discard}
          >
            Discard changes
          </Menu.Item>
          <Menu.Item leftSection={<IconCopy size={16} />} onClick={duplicate.open}>
            Duplicate
          </Menu.Item>
          <Menu.Item leftSection={<IconTrash size={16} />} c="var(--mantine-color-error)" onClick={open}>
            Delete this {noun}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={duplicating} onClose={duplicate.close} title={`Duplicate ${saved.name}`}>
        <CreateForm
          noun={noun}
          domainId={domainId}
          original={{ ...body, name: `Copy of ${body.name}`.slice(0, 200) }}
        />
      </Modal>
      <Modal opened={opened} onClose={close} title={`Delete ${saved.name}?`}>
        <Stack>
          <Text fz="sm">
            {noun === 'template'
              ? 'Requests that name it are rejected from then on. Messages accepted earlier are not affected.'
              : 'A layout in use cannot be deleted; assign another layout to its templates first.'}
          </Text>
          <ErrorNotice error={deleting.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button color="red.9" loading={deleting.isPending} onClick={() => deleting.mutate()}>
              Delete
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
