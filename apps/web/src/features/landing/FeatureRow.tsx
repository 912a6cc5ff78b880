import { Infinity as Endless, KeyRound, Lock, Reply } from "lucide-react";

const features = [
  { icon: Endless, words: "Unlimited aliases" },
  { icon: Lock, words: "End-to-end encryption" },
  { icon: Reply, words: "Reply anonymously" },
  { icon: KeyRound, words: "Offline AGE keys" },
];

export function FeatureRow() {
  return (
    <ul className="feats">
      {features.map(({ icon: Icon, words }) => (
        <li key={words}>
          <Icon className="i i-20" aria-hidden />
          {words}
        </li>
      ))}
    </ul>
  );
}
