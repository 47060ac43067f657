const JUDGE = "arn:aws:bedrock:us-east-1:000000000000:inference-profile/us.anthropic.claude-sonnet-4-20250514-v1:0";
const OWN = "arn:aws:bedrock:us-east-1:000000000000:application-inference-profile/5dews3o6kky6";
