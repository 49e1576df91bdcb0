// The editor of one template.

import { EditPage } from './edit-page.tsx'

export const Component = () => <EditPage noun="template" />
