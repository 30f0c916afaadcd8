// Where work stands: which stage it waits at, what is stuck, and who last touched which file.
import { Screen } from '../../parts/screen.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { FilesTab } from './files-tab.tsx'
import { RadarTab } from './radar-tab.tsx'

const TABS = [
  { id: 'pipelines', title: 'Pipelines', content: () => <RadarTab by="pipeline" /> },
  { id: 'workstreams', title: 'Workstreams', content: () => <RadarTab by="workstream" /> },
  { id: 'files', title: 'Files', content: () => <FilesTab /> },
]

export function RadarScreen() {
  return (
    <Screen title="Pipeline Radar">
      <Tabs label="What is looked at" tabs={TABS} />
    </Screen>
  )
}
