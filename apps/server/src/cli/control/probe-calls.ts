import { judgeHeader } from "../../core/probe/judge-header.ts";
import { type MailProbe, newProbe, probeWire, withJudgement } from "../../core/probe/probe.ts";
import type { Clock, Random } from "../../runtime/ports.ts";
import type { Config } from "../../settings/config.ts";
import type { Store } from "../../store/open-store.ts";
import type { ControlHandlers } from "./control-protocol.ts";

type ProbeCalls = Pick<ControlHandlers, "probe-start" | "probe-state" | "probe-judge">;

const isUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface ProbeView {
  config: Pick<Config, "domains">;
  store: Pick<Store, "mailProbes">;
  clock: Clock;
  random: Random;
}

export function probeCalls({ config, store: { mailProbes }, clock, random }: ProbeView): ProbeCalls {
  const domain = config.domains[0] ?? "";
  const wireOrNull = (probe: MailProbe | null) => (probe === null ? null : probeWire(probe));
  const find = async (id: string) => {
    if (id === "") return await mailProbes.newest();
    return isUuid.test(id) ? await mailProbes.find(id) : null;
  };
  return {
    "probe-start": async () => {
      const probe = newProbe({ clock, random }, domain);
      await mailProbes.start(probe);
      return probeWire(probe);
    },
    "probe-state": async ({ id }) => wireOrNull(await find(id)),
    "probe-judge": async ({ id, headers, inSpam }) => {
      const probe = await find(id);
      if (probe === null) return null;
      const domainOfProbe = probe.address.slice(probe.address.indexOf("@") + 1);
      const read = headers === null ? { ours: null, inSpam: null } : judgeHeader(headers, domainOfProbe);
      const judgement = { ours: read.ours, inSpam: inSpam ?? read.inSpam };
      return wireOrNull(await mailProbes.change(probe, (before) => withJudgement(before, judgement)));
    },
  };
}
