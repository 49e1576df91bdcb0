// Button and keys (Ctrl-K and /) of the search in all domains; the search dialog is loaded at its first opening.

import { Kbd, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { lazy, Suspense } from 'react'
import { fetched } from '../fetched.ts'
import { IconSearch } from '../parts/icons.tsx'
import { useWasOpened } from '../parts/was-opened.ts'
import { shell } from '../texts/en/shell.ts'

const SearchDialog = lazy(() => fetched(() => import('../pages/search/search-dialog.tsx')))

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent)

export function Search() {
  const [opened, { open, close }] = useDisclosure()
  const wasOpened = useWasOpened(opened)
  // Ctrl-K works everywhere, but the slash only outside of input fields.
  useHotkeys([['mod+K', open]], [], true)
  useHotkeys([['/', open]])
  return (
    <>
      <UnstyledButton className="search-button" onClick={open} aria-keyshortcuts="Control+K /">
        <IconSearch size={16} stroke={1.6} />
        <Text span fz="sm" flex={1}>
          {shell.search}
        </Text>
        <Kbd size="xs" visibleFrom="sm">
          {IS_MAC ? '⌘K' : 'Ctrl K'}
        </Kbd>
      </UnstyledButton>
      {wasOpened && (
        <Suspense>
          <SearchDialog opened={opened} onClose={close} />
        </Suspense>
      )}
    </>
  )
}
