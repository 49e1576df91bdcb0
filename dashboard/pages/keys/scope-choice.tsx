// Checkboxes for single scopes, grouped by noun.

import { Checkbox, Fieldset, Input, SimpleGrid, Stack } from '@mantine/core'
import { managementKeys as words } from '../../texts/en/management-keys.ts'
import type { Scope } from './calls.ts'
import { nounOf, verbOf } from './scope-names.ts'

interface ScopeChoiceProps {
  readonly label: string
  /** Scopes that can be chosen. */
  readonly scopes: readonly Scope[]
  readonly chosen: ReadonlySet<Scope>
  readonly change: (chosen: ReadonlySet<Scope>) => void
  readonly error?: string | undefined
}

export function ScopeChoice({ label, scopes, chosen, change, error }: ScopeChoiceProps) {
  const nouns = Map.groupBy(scopes, nounOf)
  return (
    <Fieldset legend={label}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="sm">
        {[...nouns].map(([noun, ofNoun]) => (
          <Checkbox.Group
            key={noun}
            label={words.nouns[noun]}
            value={ofNoun.filter((scope) => chosen.has(scope))}
            onChange={(now: string[]) =>
              change(chosen.difference(new Set(ofNoun)).union(new Set(now as Scope[])))
            }
          >
            <Stack gap={6} mt={4}>
              {ofNoun.map((scope) => (
                <Checkbox
                  key={scope}
                  size="xs"
                  value={scope}
                  label={
                    <>
                      {verbOf(scope)} <span className="code-line">{scope}</span>
                    </>
                  }
                />
              ))}
            </Stack>
          </Checkbox.Group>
        ))}
      </SimpleGrid>
      {error !== undefined && <Input.Error mt="xs">{error}</Input.Error>}
    </Fieldset>
  )
}
